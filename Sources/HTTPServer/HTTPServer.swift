// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// An HTTP/1.1 server on plain non-blocking sockets: epoll loops, a thread each.
///
/// It serves from `start` until `drain` has returned, even if nobody holds a reference to it.
///
/// **Isolation:** the mutable state is in `life`, a `Mutex`; the counters are atomics.
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

    /// The addresses that it listens on, in the order of the configuration, with names resolved and the ports that the kernel chose;
    /// empty before `start`.
    package var addresses: [ListenAddress] { life.withLock { $0.addresses } }

    /// The counters, read one after the other while the loops run, so that they may be of slightly different moments.
    package var counters: ConnectionCounters { state.counters }

    /// The reasons why these addresses cannot be listened on now. They are open together for a moment, as they will be after a start:
    /// 0.0.0.0 leaves no other address of its port.
    package static func obstacles(to addresses: [ListenAddress]) -> [ServerError] {
        var listeners: [Listener] = []
        var obstacles: [ServerError] = []
        for address in addresses {
            do throws(ServerError) {
                listeners += try Listener.open(address, loops: 1)
            } catch {
                obstacles.append(error)
            }
        }
        return withExtendedLifetime(listeners) { obstacles }
    }

    /// Opens every listener, then starts the loops. Must be called once; after an error nothing stays open.
    /// - Parameter opened: gets the addresses before the first connection is accepted.
    package func start(opened: ([ListenAddress]) -> Void = { _ in }) throws(ServerError) {
        let configuration = state.configuration
        let loops = max(configuration.loops, 1)
        guard !configuration.listeners.isEmpty else { throw .noListeners }
        var addresses: [ListenAddress] = []
        // Cannot trap: at least one, and the settings limit the number.
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

    /// Replaces the handler, and returns when no loop gives further requests to the former one, which completes those that it has
    /// begun. Of the configuration, only times, limits of requests and the rule about clients are taken over. A connection keeps its
    /// present deadline; its next one follows the new times.
    package func replace(
        handler: some RequestHandler, configuration: HTTPServerConfiguration? = nil
    ) async {
        let configuration = configuration ?? state.configuration
        let mailboxes = life.withLock { $0.running > 0 ? $0.mailboxes : [] }
        await withTaskGroup(of: Void.self) { group in
            for mailbox in mailboxes {
                group.addTask { await HTTPServer.post(handler, configuration, to: mailbox) }
            }
        }
    }

    /// Returns when the loop has taken the rules over, or has ended.
    private static func post(
        _ handler: some RequestHandler, _ configuration: HTTPServerConfiguration, to mailbox: Mailbox
    ) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            mailbox.post(.rules(handler, configuration) { continuation.resume() })
        }
    }

    /// Stops accepting, closes connections that stay idle for `farewellTimeout`, lets the others complete their answers (with
    /// `Connection: close`), and cuts off those that are incomplete when the time is over. Returns when every loop has ended.
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
    /// **Isolation:** made by one thread, then used by the other alone. The parts are taken out of it, so that only the loop holds
    /// its listeners and can close them.
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

    /// A function of its own, so that the loop and its sockets are gone before its end is reported.
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
