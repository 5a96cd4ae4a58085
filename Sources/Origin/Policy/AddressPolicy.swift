// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import HTTPSemantics

/// The addresses and ports that may be dialled. `SourcePolicy` says when each rule is applied.
package struct AddressPolicy: Sendable, Hashable {
    /// Opens loopback, private, link-local and similar ranges. Ranges without web servers (multicast,
    /// documentation, reserved) stay closed.
    package var allowsPrivate: Bool
    /// Blocks that are open even in a special range, such as an internal network that holds the originals.
    package var allowed: [AddressBlock]
    /// Blocks that are closed, whatever other rule opens them.
    package var denied: [AddressBlock]
    /// Ports that are open, at every address.
    package var ports: PortList

    /// By default, public addresses at the ports of the web.
    package init(
        allowsPrivate: Bool = false, allowed: [AddressBlock] = [], denied: [AddressBlock] = [],
        ports: PortList = .web
    ) {
        self.allowsPrivate = allowsPrivate
        self.allowed = allowed
        self.denied = denied
        self.ports = ports
    }

    /// Why this address and port may not be dialled; nil if they may be.
    package func refusal(of address: IPAddress, port: UInt16) -> SourceRefusal? {
        if let refusal = refusal(ofPort: port) { return refusal }
        let address = address.unmapped
        if denied.contains(where: { SpecialRange.leads(address, to: $0.contains) }) { return .network }
        guard let range = SpecialRange.holding(address) else { return nil }
        if allowsPrivate && range.isInside { return nil }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        return .address(purpose: range.purpose)
    }

    /// Why this port may not be dialled at any address; nil if it may be.
    package func refusal(ofPort port: UInt16) -> SourceRefusal? { ports.contains(port) ? nil : .port(port) }
}
