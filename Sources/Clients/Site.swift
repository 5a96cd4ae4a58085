// SPDX-License-Identifier: Apache-2.0

/// Hosts that one owner can have in any number: names below one domain, or addresses of one network.
///
/// A domain is the last two labels of a name. No list of public suffixes is used, so strangers below `co.uk` or a hoster's domain
/// count as one site and share its permits, which few ever notice.
package enum Site: Sendable, Hashable {
    case domain(String)
    /// The upper 24 bits, the smallest network that is announced in the Internet's routing.
    case v4(UInt32)
    /// The upper 48 bits, the network that a site gets (RFC 6177).
    case v6(UInt64)

    /// The site of a URL's host, with or without the brackets of IPv6.
    package init(host: String) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        switch IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host)?.unmapped {
        case .v4(let value): self = .v4(value >> 8)
        case .v6(let high, _): self = .v6(high >> 16)
        case nil: self = .domain(host.split(separator: ".").suffix(2).joined(separator: "."))
        }
    }
}
