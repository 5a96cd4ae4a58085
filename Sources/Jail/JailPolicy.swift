// SPDX-License-Identifier: Apache-2.0

/// How tightly a decoder process is held.
package struct JailPolicy: Sendable, Hashable {
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// A wall that cannot be put up ends the process; those marked as optional may be missing.
        case require
        /// What the kernel permits.
        case prefer
        /// Only what keeps a process from being a burden: limits, niceness, its end with the daemon's.
        case off
    }

    package var mode: Mode
    /// Bytes of address space, code and stacks included; 0 = no limit.
    package var addressSpace: Int
    /// Bytes of the largest file that can be written.
    package var fileSize: Int
    /// Descriptors at a time: 4 of our own, 3 of the job, and what the engine opens while it starts.
    package var openFiles = 64
    /// Threads at a time; counted only in a user namespace of its own, because the kernel counts those of all
    /// processes of a user. An AVIF encoder starts one a core and a few more.
    package var threads = 256
    /// Above the thread's that starts it: whatever the daemon does comes before new pictures, and cache hits before all.
    package var niceness: Int32 = 9
    /// Of 1,000: who goes first when memory runs out (proc(5), oom_score_adj).
    package var oomScore = 500
    /// The last descriptor that stays open; all above it are closed.
    package var lastDescriptor: Int32
    /// Folders that stay readable once the jail is shut; for fonts.
    package var readable: [String]

    package init(
        mode: Mode, addressSpace: Int, fileSize: Int, lastDescriptor: Int32 = 2, readable: [String] = []
    ) {
        self.mode = mode
        self.addressSpace = addressSpace
        self.fileSize = fileSize
        self.lastDescriptor = lastDescriptor
        self.readable = readable
    }
}

/// How a policy travels to the process that it is for: as arguments.
/// `--jail prefer --address-space 2147483648 --file-size 67108864 --last-descriptor 3 --readable /usr/share/fonts:/etc/fonts`
extension JailPolicy {
    package var arguments: [String] {
        [
            "--jail", mode.rawValue, "--address-space", "\(addressSpace)", "--file-size", "\(fileSize)",
            "--last-descriptor", "\(lastDescriptor)", "--readable", readable.joined(separator: ":"),
        ]
    }

    /// Nil: not what `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        let names = stride(from: 0, to: words.count, by: 2).map { words[$0] }
        guard words.count == 10,
            names == ["--jail", "--address-space", "--file-size", "--last-descriptor", "--readable"],
            let mode = Mode(rawValue: words[1]),
            let addressSpace = Int(words[3]), addressSpace >= 0,
            let fileSize = Int(words[5]), fileSize > 0,
            let lastDescriptor = Int32(words[7]), lastDescriptor >= 2
        else { return nil }
        self.init(
            mode: mode, addressSpace: addressSpace, fileSize: fileSize, lastDescriptor: lastDescriptor,
            readable: words[9].split(separator: ":").map(String.init))
    }
}

/// What came of it, by name.
package struct JailReport: Sendable, Hashable {
    package var holds: [String] = []
    /// What the kernel refused.
    package var missing: [String] = []
    /// Of those, what `require` insists on.
    package var lacking: [String] = []

    package static func + (a: JailReport, b: JailReport) -> JailReport {
        JailReport(holds: a.holds + b.holds, missing: a.missing + b.missing, lacking: a.lacking + b.lacking)
    }
}
