// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// Why something may not be fetched. For logs and counters: none of it belongs in an answer, because it tells
/// what lies behind a name.
package enum Refusal: Error, Sendable, Hashable {
    /// The address is in a special range, of that purpose.
    case address(purpose: String)
    case port(UInt16)
    /// A redirect to something that is neither http nor https.
    case scheme
    /// A redirect from https to http, where the configuration forbids it.
    case downgrade
    /// A redirect that carries a user name or a password.
    case userInformation
    /// A URL that libcurl cannot read.
    case malformed
}

/// Which addresses may be dialled.
///
/// It is asked twice: for a URL before anything is done, which gives literal addresses their answer at once,
/// and for each resolved address right before its socket is made. Only the second is the guard: what is
/// checked there is what is dialled, whatever a name resolves to and whichever spelling of an address a
/// parser understands.
package struct AddressPolicy: Sendable, Hashable {
    /// Opens loopback, private, link-local and similar ranges. Ranges where nothing can be fetched
    /// (multicast, documentation, reserved) stay closed.
    package var allowsPrivate: Bool
    /// Blocks that are open whatever they are, such as one internal network that holds the originals.
    package var allowed: [AddressBlock]
    /// The two ports of the web, and those that any user's server may have. The others below 1024 belong to
    /// services (mail, shells, file shares) which could be talked to by way of an HTTP request.
    package var ports: [ClosedRange<UInt16>]

    package static let webPorts: [ClosedRange<UInt16>] = [80...80, 443...443, 1024...65535]

    package init(
        allowsPrivate: Bool = false, allowed: [AddressBlock] = [], ports: [ClosedRange<UInt16>] = webPorts
    ) {
        self.allowsPrivate = allowsPrivate
        self.allowed = allowed
        self.ports = ports
    }

    /// Nil: may be dialled.
    package func refusal(of address: IPAddress, port: UInt16) -> Refusal? {
        if let refusal = refusal(ofPort: port) { return refusal }
        let address = address.unmapped
        guard let range = SpecialRange.holding(address) else { return nil }
        if allowsPrivate && range.isInside { return nil }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        return .address(purpose: range.purpose)
    }

    /// Nil: may be tried.
    package func refusal(of url: SourceURL) -> Refusal? {
        guard let address = IPAddress(url.host) else { return refusal(ofPort: url.port) }
        return refusal(of: address, port: url.port)
    }

    private func refusal(ofPort port: UInt16) -> Refusal? {
        ports.contains { $0.contains(port) } ? nil : .port(port)
    }
}
