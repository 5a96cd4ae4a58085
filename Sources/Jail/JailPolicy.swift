// SPDX-License-Identifier: Apache-2.0

/// How tightly a worker process is held.
package struct JailPolicy: Sendable, Hashable {
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// A measure that cannot be put up ends the process; those marked as optional may be missing.
        case require
        /// What the kernel permits.
        case prefer
        /// Only what keeps a process from being a burden: limits, niceness, its end with the daemon's.
        case off
    }

    /// Which system calls it needs.
    package enum Work: String, Sendable, Hashable, CaseIterable {
        /// libvips: threads, large mappings, an output file.
        case decoding
        /// Reading at offsets of one file, and unpacking it into another, on one thread.
        case inspecting
    }

    package var mode: Mode
    package var work: Work
    /// Bytes of address space, code and stacks included; 0 = no limit. Of an inspector beyond what is
    /// mapped when it starts, which is the program and its libraries.
    package var addressSpace: Int
    /// Bytes of the largest file that can be written.
    package var fileSize: Int
    /// Descriptors at a time: 4 of our own, 3 of the job, and what the engine opens while it starts.
    package var openFiles = 64
    /// Threads at a time; counted only in a user namespace of its own, because the kernel counts those of all
    /// processes of a user. An AVIF encoder starts one a core and a few more.
    package var threads = 256
    /// Above the thread's that starts it: whatever the daemon does comes before new pictures, and cache hits before all.
    /// Reading a header is a part of what the daemon does.
    package var niceness: Int32 { work == .inspecting ? 0 : 9 }
    /// Of 1,000: who goes first when memory runs out (proc(5), oom_score_adj).
    package var oomScore = 500
    /// The last descriptor that stays open; all above it are closed.
    package var lastDescriptor: Int32
    /// Folders that stay readable once the jail is shut; for fonts.
    package var readable: [String]

    package init(
        mode: Mode, work: Work = .decoding, addressSpace: Int, fileSize: Int, lastDescriptor: Int32 = 2,
        readable: [String] = []
    ) {
        self.mode = mode
        self.work = work
        self.addressSpace = addressSpace
        self.fileSize = fileSize
        self.lastDescriptor = lastDescriptor
        self.readable = readable
    }
}

/// How a policy travels to the process that it is for: as arguments.
/// `--jail prefer --work decoding --address-space 2147483648 --file-size 67108864 --last-descriptor 3
/// --readable /usr/share/fonts:/etc/fonts`
extension JailPolicy {
    package var arguments: [String] {
        [
            "--jail", mode.rawValue, "--work", work.rawValue, "--address-space", "\(addressSpace)",
            "--file-size", "\(fileSize)",
            "--last-descriptor", "\(lastDescriptor)", "--readable", readable.joined(separator: ":"),
        ]
    }

    /// How many arguments there are.
    package static let words = 12

    /// Nil: not what `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        let names = stride(from: 0, to: words.count, by: 2).map { words[$0] }
        guard words.count == Self.words,
            names == [
                "--jail", "--work", "--address-space", "--file-size", "--last-descriptor", "--readable",
            ],
            let mode = Mode(rawValue: words[1]), let work = Work(rawValue: words[3]),
            let addressSpace = Int(words[5]), addressSpace >= 0,
            let fileSize = Int(words[7]), fileSize > 0,
            let lastDescriptor = Int32(words[9]), lastDescriptor >= 2
        else { return nil }
        self.init(
            mode: mode, work: work, addressSpace: addressSpace, fileSize: fileSize,
            lastDescriptor: lastDescriptor,
            readable: words[11].split(separator: ":").map(String.init))
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
