// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging

/// Tells whether a descriptor leads to systemd's journal, which adds the time to each line and reads the line's priority from
/// `<N>` at its beginning (sd-daemon(3)).
enum JournalStream {
    /// True if the descriptor is the stream that systemd has connected to the journal and named in `JOURNAL_STREAM=device:inode`
    /// (systemd.exec(5)). If the stream was redirected since, the numbers differ.
    /// - Parameter name: the value of that variable; nil if it is not set.
    static func isBehind(_ descriptor: Int32, name: String?) -> Bool {
        var status = stat()
        guard let name, fstat(descriptor, &status) == 0 else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    /// True if standard error leads to the journal.
    static var isStandardError: Bool {
        isBehind(STDERR_FILENO, name: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }

    /// A command's messages with a priority before those that begin with "Error: " or "Warning: ". Messages without one get
    /// priority 6 (info) from the journal.
    static func prioritised(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let level: Logger.Level? =
                line.hasPrefix("Error: ") ? .error : line.hasPrefix("Warning: ") ? .warning : nil
            return level.map { "<\(priority(of: $0))>\(line)" } ?? String(line)
        }.joined(separator: "\n")
    }

    /// The priority as a number of syslog(3).
    static func priority(of level: Logger.Level) -> Int32 {
        switch level {
        case .trace, .debug: LOG_DEBUG
        case .info: LOG_INFO
        case .notice: LOG_NOTICE
        case .warning: LOG_WARNING
        case .error: LOG_ERR
        case .critical: LOG_CRIT
        }
    }
}
