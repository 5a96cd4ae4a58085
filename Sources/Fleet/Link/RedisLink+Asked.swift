// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Kernel
internal import Synchronization

/// A link to the node that `ASK` has named (`AskedNode`).
extension RedisLink {
    /// Makes a link that ends by itself after `askedTime` without a command.
    /// - Throws: if eventfd(2) fails.
    convenience init(
        toAsked node: RedisAddress, _ configuration: RedisConfiguration, name: String
    ) throws(SystemError) {
        var configuration = configuration
        (configuration.addresses, configuration.sentinel) = ([node], nil)
        var state = State(link: RedisLinkState(configuration, connectingTo: node))
        state.idleTime = configuration.askedTime.wholeMicroseconds
        try self.init(configuration, name: name, state) { _ in }
    }

    /// Takes over a command that another link has sent to a node that answered with `ASK`.
    /// - Returns: why the command is not taken; nil if it is.
    func take(over pending: PendingCommand) -> RedisFailure? {
        var pending = pending
        (pending.isAsked, pending.moves) = (true, RedisLinkState.mostMoves)
        let now = pictor_monotonic_microseconds()
        let refusal: RedisFailure? = state.withLock { state in
            guard !state.isOver(at: now) else { return .closed }
            state.lastUse = now
            if let reason = state.link.refusal(waits: pending.waits) { return unsent(reason) }
            guard state.commands.count < configuration.queue else { return .full }
            state.commands.append(pending)
            return nil
        }
        if refusal == nil { wakeup.signal() }
        return refusal
    }

    /// Ends the link once its commands have ended, each of which has a deadline. Does not wait.
    func retire() {
        state.withLock { $0.idleTime = 0 }
        wakeup.signal()
        thread.withLock { $0.take() }?.detach()
    }
}
