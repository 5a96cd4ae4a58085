// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging

/// systemd's journal as what a descriptor leads to: it knows the time of each line, and reads its priority from `<N>` at
/// the line's beginning (sd-daemon(3)).
enum JournalStream {
    /// True if the descriptor is the stream that systemd has connected with the journal, which it names as
    /// `JOURNAL_STREAM=device:inode` (systemd.exec(5)). A stream that was redirected since is another one.
    /// - Parameter name: the value of that variable; nil where it is not set.
    static func isBehind(_ descriptor: Int32, name: String?) -> Bool {
        var status = stat()
        guard let name, fstat(descriptor, &status) == 0 else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    /// True if standard error leads there.
    static var isStandardError: Bool {
        isBehind(STDERR_FILENO, name: getenv("JOURNAL_STREAM").map { String(cString: $0) })
    }

    /// A command's messages, with the priority of those that begin with "Error: " or "Warning: ". Others have none, which
    /// counts as 6.
    static func prioritised(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let level: Logger.Level? =
                line.hasPrefix("Error: ") ? .error : line.hasPrefix("Warning: ") ? .warning : nil
            return level.map { "<\(priority(of: $0))>\(line)" } ?? String(line)
        }.joined(separator: "\n")
    }

    /// The numbers of syslog(3).
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
