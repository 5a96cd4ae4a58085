// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import DecoderProtocol
internal import Glibc
internal import Jail
package import Kernel

/// The life that all worker processes share: they are forked, enter the jail, send a handshake, and end with the daemon.
///
/// **Isolation:** used by the process's main thread only.
package struct WorkerMain {
    /// The work of this process.
    package let kind: WorkerKind
    /// The settings that the daemon passed on the command line.
    package let start: DecoderStart
    /// The name of the engine that `prepare` returned.
    package let engine: String
    private let policy: JailPolicy
    private let jail: JailReport

    /// Makes the process a zygote, which never returns from this call. It returns in each of the zygote's forks, in the jail.
    /// Must run before anything else in the process, while it has one thread and no descriptors of its own. Ends the process
    /// if the daemon did not start it.
    /// - Parameters:
    ///   - arguments: those of the decoders' `JailPolicy` and of the inspectors', then those of `DecoderStart`.
    ///   - prepare: starts the engine, once and before any picture is known, and returns its name. Must start no thread.
    package init(_ arguments: some Collection<String>, prepare: (DecoderStart) -> String) {
        let policies = arguments.dropLast(DecoderStart.words)
        guard let start = DecoderStart(arguments: arguments.suffix(DecoderStart.words)),
            let decoders = JailPolicy(arguments: policies.prefix(JailPolicy.words)),
            let inspectors = JailPolicy(arguments: policies.dropFirst(JailPolicy.words)),
            Self.isSocket(Wire.descriptor)
        else { Self.leave("pictor worker is started by pictor serve", EX_USAGE) }
        // A terminal or a service manager signals the whole process group. Only the daemon reacts: it drains
        // first, and then closes our socket.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        ZygoteMain.endWithParent(start.parent)
        engine = prepare(start)
        kind = ZygoteMain.run()
        self.start = start
        switch kind {
        case .decoder: policy = decoders
        case .inspector: policy = inspectors
        }
        jail = Jail.enter(policy)
        // The daemon may have died before the parent-death signal was set.
        guard getppid() == start.parent else { exit(0) }
    }

    /// Shuts the jail and sends the handshake; from then on jobs come over the channel. Ends the process if
    /// the jail is required and one of its required measures failed.
    /// - Throws: if the handshake cannot be sent.
    package func open<Message: WireOrder>(
        _ channel: WorkerChannel<Message>, engine: String
    ) throws(SystemError) {
        let jail = jail + Jail.shut(policy)
        let mustHave = policy.mode == .require ? jail.lacking : []
        try channel.send(
            WireHandshake(
                engine: engine, process: getpid(), jail: jail.holds, jailMissing: jail.missing,
                jailLacks: mustHave))
        if !mustHave.isEmpty { exit(EX_CONFIG) }
    }

    /// Writes one line to standard error.
    package static func complain(_ words: String) {
        let line = "\(words)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }

    /// Writes one line to standard error and ends the process with status `code`.
    package static func leave(_ words: String, _ code: Int32) -> Never {
        complain(words)
        exit(code)
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
