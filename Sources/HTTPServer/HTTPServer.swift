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

    /// Opens nothing; `start` does.
    package init(_ configuration: HTTPServerConfiguration, handler: some RequestHandler) {
        state = ServerState(configuration, handler: handler)
    }

    /// Where it listens, in the order of the configuration, names resolved and with the ports that the kernel chose;
    /// empty before `start`.
    package var addresses: [ListenAddress] { life.withLock { $0.addresses } }

    /// Read one after the other while the loops go on, so that they may be of slightly different moments.
    package var counters: ConnectionCounters { state.counters }

    /// Why these addresses cannot be listened on now; each is opened for a moment.
    package static func obstacles(to listeners: [ListenAddress]) -> [ServerError] {
        listeners.compactMap { address in
            do throws(ServerError) {
                _ = try Listener.open(address, loops: 1)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Opens every listener, then starts the loops. To be called once; after an error nothing is left open.
    /// - Parameter opened: told the addresses before the first connection is accepted.
    package func start(opened: ([ListenAddress]) -> Void = { _ in }) throws(ServerError) {
        let configuration = state.configuration
        let loops = max(configuration.loops, 1)
        guard !configuration.listeners.isEmpty else { throw .noListeners }
        var addresses: [ListenAddress] = []
        // Cannot trap: one at least, and the settings bound them.
        var shares: [[Listener]] = Array(repeating: [], count: loops)
        for asked in configuration.listeners {
            let listeners = try Listener.open(asked, loops: loops)
            addresses.append(listeners[0].address(asked: asked))
            for loop in 0..<loops { shares[loop].append(listeners[listeners.count == 1 ? 0 : loop]) }
        }
        var parts: [LoopParts] = []
        for share in shares { parts.append(try LoopParts(listeners: share)) }
        life.withLock { life in
            life.addresses = addresses
            life.mailboxes = parts.map(\.mailbox)
        }
        opened(addresses)
        do {
            for (index, part) in parts.enumerated() { try startThread(part, name: "http-\(index)") }
        } catch {
            for part in parts { part.mailbox.post(.drain(deadline: 0)) }
            throw error
        }
    }

    /// Has requests answered by another handler, and returns when no loop gives any more to the former one, which finishes
    /// those that it has begun. Of the configuration, times, limits of requests and the rule about clients are taken over: a
    /// connection keeps the deadline that it has, and gets its next one by the new times.
    package func replace(
        handler: some RequestHandler, configuration: HTTPServerConfiguration? = nil
    ) async {
        let configuration = configuration ?? state.configuration
        let mailboxes = life.withLock { $0.running > 0 ? $0.mailboxes : [] }
        await withTaskGroup(of: Void.self) { group in
            for mailbox in mailboxes {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        mailbox.post(.rules(handler, configuration) { continuation.resume() })
                    }
                }
            }
        }
    }

    /// Stops accepting, closes connections that stay idle for `farewellTimeout`, lets the others finish their answers (with
    /// `Connection: close`), and cuts off those that have not when the time is over. Returns when every loop has ended.
    package func drain(within time: Duration) async {
        let deadline = Clock.microseconds() + time.wholeMicroseconds
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

    /// The parts of a loop, on their way to its thread.
    ///
    /// **Isolation:** made by one thread, then the other's alone. The parts are taken out of it, so that the
    /// loop is the only one that holds its listeners and can close them.
    private final class Start: Sendable {
        let parts: Mutex<LoopParts?>
        let server: HTTPServer

        init(_ parts: LoopParts, _ server: HTTPServer) {
            self.parts = Mutex(parts)
            self.server = server
        }
    }

    private func startThread(_ parts: LoopParts, name: String) throws(ServerError) {
        let start = Start(parts, self)
        life.withLock { $0.running += 1 }
        do throws(SystemError) {
            try WorkerThread(name, priority: .first) {
                Self.serve(start)
                start.server.loopEnded()
            }.detach()
        } catch {
            loopEnded()
            throw .cannotStart(error)
        }
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
