// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import DecoderProtocol
internal import Glibc
internal import Jail
package import Kernel

/// What the lives of all worker processes have in common: they go into their jail, send their handshake, and leave
/// with the daemon.
///
/// **Isolation:** used by the process's main thread only.
package struct WorkerMain {
    package let start: DecoderStart
    private let policy: JailPolicy
    private let jail: JailReport

    /// To be called before anything else in the process, which has one thread and no descriptors of its own
    /// then. Does not come back where the daemon did not start the process.
    /// - Parameter arguments: those of `JailPolicy`, then those of `DecoderStart`.
    package init(_ arguments: some Collection<String>, as name: String) {
        guard let start = DecoderStart(arguments: arguments.suffix(DecoderStart.words)),
            let policy = JailPolicy(arguments: arguments.dropLast(DecoderStart.words)),
            Self.isSocket(Wire.descriptor)
        else { Self.leave("pictor \(name) is started by pictor serve", EX_USAGE) }
        // Whoever stops the daemon by a signal to its group (a terminal, a service manager) leaves the rest
        // to it: it drains first, and then closes our socket.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        self.start = start
        self.policy = policy
        jail = Jail.enter(policy)
        // The daemon may have died before the kernel was asked to tell us.
        guard getppid() == start.parent else { exit(0) }
    }

    /// Shuts the jail and sends its handshake; jobs come over the channel from now on. Does not come back where the
    /// jail is required and a part of it cannot be had.
    package func open<Message: WireOrder>(
        _ channel: WorkerChannel<Message>, engine: String
    ) throws(SystemError) {
        let jail = jail + Jail.shut(policy)
        let mustHave = policy.mode == .require ? jail.lacking : []
        try channel.send(
            WireHandshake(
                engine: engine, process: getpid(), jail: jail.holds, jailLacks: jail.missing,
                jailMustHave: mustHave))
        if !mustHave.isEmpty { exit(EX_CONFIG) }
    }

    package static func complain(_ words: String) {
        let line = "\(words)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }

    package static func leave(_ words: String, _ code: Int32) -> Never {
        complain(words)
        exit(code)
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
