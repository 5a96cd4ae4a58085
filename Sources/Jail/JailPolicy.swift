// SPDX-License-Identifier: Apache-2.0

/// The sandbox of one worker process: how strict it is, and its limits.
package struct JailPolicy: Sendable, Hashable {
    /// How strictly the sandbox is enforced.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Every measure must hold, or the process ends; optional measures may be missing.
        case require
        /// Every measure that the kernel permits.
        case prefer
        /// Limits only, which keep the process from burdening others: niceness, sizes, its end with the
        /// daemon's.
        case off
    }

    /// The work of the process, which decides the system calls it may make.
    package enum Work: String, Sendable, Hashable, CaseIterable {
        /// libvips: threads, large mappings, an output file.
        case decoding
        /// Reading at offsets of one file, and unpacking it into another, on one thread.
        case inspecting
    }

    /// `decoder.jail` of the settings.
    package var mode: Mode
    /// Selects the list of system calls.
    package var work: Work
    /// Bytes of address space, code and stacks included; 0 = no limit. For an inspector, the program and its
    /// libraries, which are mapped at the start, do not count.
    package var addressSpace: Int
    /// Bytes of the largest file that can be written.
    package var fileSize: Int
    /// Descriptors at a time: 4 of our own, 3 of the job, and those that the engine opens while it starts.
    package var openFiles = 64
    /// Threads at a time. Limited only in a user namespace of its own, because the kernel counts the threads
    /// of all processes of a user. An AVIF encoder starts one per core and a few more.
    package var threads = 256
    /// Niceness above the starting thread's. Decoders yield to all work of the daemon; inspectors do not,
    /// because the daemon's answers wait for headers.
    package var niceness: Int32 { work == .inspecting ? 0 : 9 }
    /// 0…1,000: the kernel kills processes with a higher score first when memory runs out (proc(5),
    /// oom_score_adj).
    package var oomScore = 500
    /// The last descriptor that stays open; all above it are closed.
    package var lastDescriptor: Int32
    /// Folders that stay readable once the jail is shut; for fonts.
    package var readable: [String]

    /// The limits that have a default here are the same for all workers.
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

/// The policy as command-line arguments, for the process that it confines:
/// `--jail prefer --work decoding --address-space 2147483648 --file-size 67108864 --last-descriptor 3
/// --readable /usr/share/fonts:/etc/fonts`
extension JailPolicy {
    /// The `words` arguments that `init(arguments:)` reads back.
    package var arguments: [String] {
        [
            "--jail", mode.rawValue, "--work", work.rawValue, "--address-space", "\(addressSpace)",
            "--file-size", "\(fileSize)",
            "--last-descriptor", "\(lastDescriptor)", "--readable", readable.joined(separator: ":"),
        ]
    }

    /// The number of arguments.
    package static let words = 12

    /// Nil if the arguments are not spelled as `arguments` spells them.
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

/// The measures of a sandbox by name: which hold, and which failed.
package struct JailReport: Sendable, Hashable {
    /// Names of the measures in force.
    package var holds: [String] = []
    /// Names of the measures that the kernel refused, optional ones left out.
    package var missing: [String] = []
    /// Measures of `missing` without which `require` refuses to run.
    package var lacking: [String] = []

    /// Joins the reports of both parts, in order.
    package static func + (a: JailReport, b: JailReport) -> JailReport {
        JailReport(holds: a.holds + b.holds, missing: a.missing + b.missing, lacking: a.lacking + b.lacking)
    }
}
