// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// An HTTP/1.1 server on plain non-blocking sockets: epoll loops, a thread each.
///
/// It serves from `start` until `drain` has returned, whether or not anybody still refers to it.
///
/// **Isolation:** what changes is in `life`, a `Mutex`; the counters are atomics.
package final class HTTPServer: Sendable {
    private struct Life {
        var addresses: [ListenAddress] = []
        var mailboxes: [Mailbox] = []
        var running = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: ServerState
    private let life = Mutex(Life())

    package init(_ configuration: HTTPServerConfiguration, handler: some RequestHandler) {
        state = ServerState(configuration, handler: handler)
    }

    /// Where it listens, in the order of the configuration, with the ports that the kernel chose; empty before
    /// `start`.
    package var addresses: [ListenAddress] { life.withLock { $0.addresses } }

    package var counters: ConnectionCounters {
        ConnectionCounters(
            open: state.open.load(ordering: .relaxed), accepted: state.accepted.load(ordering: .relaxed),
            turnedAway: state.turnedAway.load(ordering: .relaxed),
            timedOut: state.timedOut.load(ordering: .relaxed))
    }

    /// Opens every listener, then starts the loops. To be called once; after an error nothing is left open.
    package func start() throws(ServerError) {
        let configuration = state.configuration
        let loops = max(configuration.loops, 1)
        guard !configuration.listeners.isEmpty else { throw .noListeners }
        var addresses: [ListenAddress] = []
        var shares: [[Listener]] = Array(repeating: [], count: loops)
        for asked in configuration.listeners {
            let opened = try Listener.open(asked, loops: loops)
            addresses.append(opened[0].address(asked: asked))
            for loop in 0..<loops { shares[loop].append(opened[opened.count == 1 ? 0 : loop]) }
        }
        var parts: [LoopParts] = []
        for share in shares { parts.append(try LoopParts(listeners: share)) }
        life.withLock { life in
            life.addresses = addresses
            life.mailboxes = parts.map(\.mailbox)
        }
        do {
            for (index, part) in parts.enumerated() { try startThread(part, name: "http-\(index)") }
        } catch {
            for part in parts { part.mailbox.post(.drain(deadline: 0)) }
            throw error
        }
    }

    /// Stops accepting, closes idle connections, lets the others finish their answers (with `Connection: close`), and
    /// cuts off those that have not when the time is over. Returns when every loop has ended.
    package func drain(within time: Duration) async {
        let microseconds =
            time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
        let deadline = Clock.microseconds() + microseconds
        for mailbox in life.withLock({ $0.mailboxes }) { mailbox.post(.drain(deadline: deadline)) }
        await withCheckedContinuation { continuation in
            let isOver = life.withLock { life in
                if life.running > 0 { life.waiters.append(continuation) }
                return life.running == 0
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: Threads

    /// What a thread is given to run.
    ///
    /// **Isolation:** made by one thread, then the other's alone. The parts are taken out of it, so that the loop is the
    /// only one that holds its listeners and can close them.
    private final class Start: Sendable {
        let parts: Mutex<LoopParts?>
        let server: HTTPServer
        let name: String

        init(_ parts: LoopParts, _ server: HTTPServer, _ name: String) {
            self.parts = Mutex(parts)
            self.server = server
            self.name = name
        }
    }

    private func startThread(_ parts: LoopParts, name: String) throws(ServerError) {
        let start = Unmanaged.passRetained(Start(parts, self, name))
        life.withLock { $0.running += 1 }
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                HTTPServer.run(Unmanaged<Start>.fromOpaque(argument).takeRetainedValue())
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            loopEnded()
            throw .cannotStart(SystemError("pthread_create", code: result))
        }
        pthread_detach(thread)
    }

    private static func run(_ start: Start) {
        // Signals are for other threads; a SIGPIPE of sendfile(2), which has no flag against it, stays pending here.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        pictor_name_this_thread(start.name)
        serve(start)
        start.server.loopEnded()
    }

    /// Apart, so that the loop and its sockets are gone before its end is told.
    private static func serve(_ start: Start) {
        guard let parts = start.parts.withLock({ $0.take() }) else { return }
        var loop = EventLoop(consume parts, state: start.server.state)
        loop.run()
    }

    private func loopEnded() {
        let waiters = life.withLock { life in
            life.running -= 1
            guard life.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { life.waiters = [] }
            return life.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
