// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import HTTPSemantics

/// Why something may not be fetched. For logs and counters: none of it belongs in an answer, because it tells
/// what lies behind a name.
package enum Refusal: Error, Sendable, Hashable {
    /// The address is in a special range, of that purpose.
    case address(purpose: String)
    /// The address is in a network that the configuration denies.
    case network
    /// The address is one on which this process listens.
    case ownListener
    case port(UInt16)
    /// The configuration denies the host.
    case host
    /// The configuration denies URLs that begin like this one.
    case url
    /// The configuration lists what is allowed, and this is not.
    case notListed
    /// A name that only the inside can know.
    case insideName
    /// A redirect to something that is neither http nor https.
    case scheme
    /// A redirect from https to http, where the configuration forbids it.
    case downgrade
    /// A redirect that carries a user name or a password.
    case userInformation
    /// A URL that libcurl cannot read, or reads otherwise than we do.
    case malformed
}

/// Which addresses may be dialled, at which ports. `SourcePolicy` says when it is asked.
package struct AddressPolicy: Sendable, Hashable {
    /// Opens loopback, private, link-local and similar ranges. Ranges where nothing can be fetched
    /// (multicast, documentation, reserved) stay closed.
    package var allowsPrivate: Bool
    /// Blocks that are open whatever they are, such as one internal network that holds the originals.
    package var allowed: [AddressBlock]
    /// Blocks that are closed whatever else opens them.
    package var denied: [AddressBlock]
    package var ports: PortList

    package init(
        allowsPrivate: Bool = false, allowed: [AddressBlock] = [], denied: [AddressBlock] = [],
        ports: PortList = .web
    ) {
        self.allowsPrivate = allowsPrivate
        self.allowed = allowed
        self.denied = denied
        self.ports = ports
    }

    /// Nil: may be dialled.
    package func refusal(of address: IPAddress, port: UInt16) -> Refusal? {
        if let refusal = refusal(ofPort: port) { return refusal }
        let address = address.unmapped
        // An address inside another is a way to it.
        let ways = [address] + (SpecialRange.carried(in: address).map { [$0] } ?? [])
        if denied.contains(where: { block in ways.contains { block.contains($0) } }) { return .network }
        guard let range = SpecialRange.holding(address) else { return nil }
        if allowsPrivate && range.isInside { return nil }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        return .address(purpose: range.purpose)
    }

    package func refusal(ofPort port: UInt16) -> Refusal? { ports.contains(port) ? nil : .port(port) }
}
