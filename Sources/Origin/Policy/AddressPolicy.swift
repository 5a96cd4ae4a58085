// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import HTTPSemantics

/// Reasons to refuse a fetch. Only logs and counters show them: an answer with the reason would reveal what
/// lies behind a name.
package enum SourceRefusal: Error, Sendable, Hashable {
    /// The address is in a special range, whose purpose is given.
    case address(purpose: String)
    /// The address is in a network that the configuration denies.
    case network
    /// The address is one of this process's own listeners.
    case ownListener
    case port(UInt16)
    /// The configuration denies the host.
    case host
    /// The configuration denies the URL's prefix.
    case url
    /// The configuration lists what is allowed, and the URL is not on the list.
    case notListed
    /// A name that only resolvers of inside networks know.
    case insideName
    /// Something that is neither http nor https where only these are fetched, as behind a redirect.
    case scheme
    /// A redirect from https to http, where the configuration forbids it.
    case downgrade
    /// A redirect that carries a user name or a password.
    case userInformation
    /// A URL that libcurl cannot read, or reads otherwise than we do.
    case malformed
}

/// The addresses and ports that may be dialled. `SourcePolicy` says when each rule is asked.
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
