// SPDX-License-Identifier: Apache-2.0

/// The sandbox of one worker process: how strict it is, and its limits.
package struct JailPolicy: Sendable, Hashable {
    /// How strictly the sandbox is enforced.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Every measure of the kind `required` must be in force, or the process ends.
        case require
        /// Every measure that the kernel permits.
        case prefer
        /// Only limits that keep the process from burdening others: niceness, sizes, and its end together
        /// with the daemon.
        case off
    }

    /// The work of the process, which decides the system calls that it may make.
    package enum Work: String, Sendable, Hashable, CaseIterable {
        /// libvips: threads, large mappings, an output file.
        case decoding
        /// Reading at offsets of one file, and unpacking it into another, on one thread.
        case inspecting
    }

    /// The setting `decoder.jail`.
    package var mode: Mode
    /// The work, which selects the list of system calls.
    package var work: Work
    /// The most bytes of address space, including code and stacks; 0 = no limit. For an inspector, the
    /// program and its libraries, which are mapped at the start, do not count.
    package var addressSpace: Int
    /// The most bytes of a file that the process can write.
    package var fileSize: Int
    /// The most open descriptors: 4 of our own, 3 of the job, and those that the engine opens while it
    /// starts.
    package var openFiles = 64
    /// The most threads. They are limited only in a user namespace of the process's own, because the kernel
    /// counts the threads of all processes of a user. An AVIF encoder starts one thread per core and a few
    /// more.
    package var threads = 256
    /// Niceness added to the starting thread's. Decoders yield to the daemon; inspectors do not, because the
    /// daemon's answers wait for headers.
    package var niceness: Int32 { work == .inspecting ? 0 : 9 }
    /// 0…1,000: the kernel kills processes with a higher score first when memory runs out (proc(5),
    /// oom_score_adj).
    var oomScore = 500
    /// The last descriptor that stays open; all higher ones are closed.
    package var lastDescriptor: Int32
    /// Folders that stay readable once the jail is shut, for fonts.
    package var readable: [String]

    /// The limits with default values are the same for all workers.
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
    /// The arguments that `init(arguments:)` parses, `words` in number.
    package var arguments: [String] {
        [
            "--jail", mode.rawValue, "--work", work.rawValue, "--address-space", "\(addressSpace)",
            "--file-size", "\(fileSize)",
            "--last-descriptor", "\(lastDescriptor)", "--readable", readable.joined(separator: ":"),
        ]
    }

    /// The number of arguments.
    package static let words = 12

    /// Nil for arguments that `arguments` does not make.
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

/// The measures of a sandbox by name: those in force, and those that failed.
package struct JailReport: Sendable, Hashable {
    /// Names of the measures in force.
    package var holds: [String] = []
    /// Names of the measures that the kernel refused, without optional ones.
    package var missing: [String] = []
    /// Names of the missing measures without which `require` refuses to run.
    package var lacking: [String] = []

    /// Joins the reports of both parts, in order.
    package static func + (a: JailReport, b: JailReport) -> JailReport {
        JailReport(holds: a.holds + b.holds, missing: a.missing + b.missing, lacking: a.lacking + b.lacking)
    }
}
