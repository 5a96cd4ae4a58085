// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import SourceURLs

/// The account of a fetch's permit.
struct Asker: Sendable, Hashable {
    /// The client that asked first; nil for one without an address. All clients without an address count as
    /// one.
    var client: ClientKey?
    var site: Site
}

/// Hosts that one owner can have in any number: names below one domain, addresses of one network.
///
/// A domain is the last two labels of a name. Without a list of public suffixes, this puts strangers together
/// below `co.uk` or a hoster's domain; they share three quarters of all permits then, which few ever notice.
enum Site: Sendable, Hashable {
    case domain(String)
    /// The upper 24 bits, the smallest network that is announced.
    case v4(UInt32)
    /// The upper 48 bits, which a site gets (RFC 6177).
    case v6(UInt64)

    init(host: String) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        switch IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host)?.unmapped {
        case .v4(let value): self = .v4(value >> 8)
        case .v6(let high, _): self = .v6(high >> 16)
        case nil: self = .domain(host.split(separator: ".").suffix(2).joined(separator: "."))
        }
    }
}

extension SourceOrigin {
    var site: Site { Site(host: host) }
}
