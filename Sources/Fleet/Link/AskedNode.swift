// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// Sends commands once to the node of a Cluster that `ASK` has named, over a link of its own. The link's connection stays where it
/// is, because until the slot has moved, the node there has the slot and most of its keys.
///
/// All commands for one key are sent on in their order, because the link's thread reads their replies in order.
///
/// **Isolation:** a `Mutex` guards the link to the node.
final class AskedNode: Sendable {
    private struct Asked: Sendable {
        let address: RedisAddress
        let link: RedisLink
    }

    private let configuration: RedisConfiguration
    private let name: String
    private let asked = Mutex<Asked?>(nil)

    /// - Parameter name: the thread's name.
    init(_ configuration: RedisConfiguration, name: String) {
        (self.configuration, self.name) = (configuration, name)
    }

    /// Sends a command, unless its caller has given up, and answers its caller. Does not wait.
    func take(over pending: PendingCommand, by node: RedisAddress) {
        guard let continuation = pending.continuation else { return }
        do throws(SystemError) {
            var failure = try link(to: node).take(over: pending)
            // The link has just ended because no command came.
            if failure == .closed { failure = try link(to: node).take(over: pending) }
            if let failure { continuation.resume(returning: .failure(failure)) }
        } catch {
            continuation.resume(returning: .failure(.refused("no link to the node that ASK names: \(error)")))
        }
    }

    /// The present link to this node, or a new one.
    private func link(to node: RedisAddress) throws(SystemError) -> RedisLink {
        if let present = asked.withLock({ $0 }) {
            if present.address == node, !present.link.isOver { return present.link }
            present.link.retire()
        }
        asked.withLock { $0 = nil }
        let link = try RedisLink(toAsked: node, configuration, name: name)
        try link.start()
        asked.withLock { $0 = Asked(address: node, link: link) }
        return link
    }

    /// Ends the link. Blocks for a second at most.
    func close() { asked.withLock { $0.take() }?.link.close() }
}
