// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
package import SourceURLs

/// Where originals may come from: one policy, asked at every hop.
///
///   URL as asked or redirected to ─▶ lists of hosts and URLs, port, literal address     before anything is done
///   each address that a name has  ─▶ port, special ranges, networks, our own listeners  before its socket is made
///   the address that is connected ─▶ the same once more                                 before the request is sent
///
/// Only what is dialled counts, never an earlier look-up, so a name that changes its address in between gains
/// nothing. The third question is asked of kept connections too. They were dialled under the same policy, for a
/// downloader has one all its life, and libcurl keeps them by scheme, host and port; yet what goes over them is asked
/// like everything else.
package struct SourcePolicy: Sendable, Hashable {
    package var addresses: AddressPolicy
    /// Not empty: only these, and what `allowedURLs` holds.
    package var allowedHosts: [HostPattern] = []
    package var deniedHosts: [HostPattern] = []
    /// Not empty: only these, and what `allowedHosts` match.
    package var allowedURLs: [URLPrefix] = []
    package var deniedURLs: [URLPrefix] = []

    package init(addresses: AddressPolicy = AddressPolicy()) { self.addresses = addresses }

    /// Nil: may be tried.
    package func refusal(of url: SourceURL) -> Refusal? {
        if deniedHosts.contains(where: { $0.matches(url.host) }) { return .host }
        if deniedURLs.contains(where: { $0.maybeHolds(url) }) { return .url }
        let isListed =
            allowedHosts.contains { $0.matches(url.host) } || allowedURLs.contains { $0.surelyHolds(url) }
        if !isListed && !(allowedHosts.isEmpty && allowedURLs.isEmpty) { return .notListed }
        if let address = IPAddress(url.host) { return addresses.refusal(of: address, port: url.port) }
        if !isListed && !knowsInside && InsideName.isOne(url.host) { return .insideName }
        return addresses.refusal(ofPort: url.port)
    }

    /// Whether that host could not be resolved may not be told: its absence from the inside would be news.
    func hidesAbsence(of host: String) -> Bool { !knowsInside && !host.contains(".") }

    /// Something of the inside is meant to be reached, and that by its names.
    package var knowsInside: Bool { addresses.allowsPrivate || !addresses.allowed.isEmpty }
}

/// Names that no public resolver knows. Looking them up would ask the resolver of this network, and the time or the
/// kind of the answer would tell which of them exist.
enum InsideName {
    /// `localhost` (RFC 6761 §6.3), `local` (RFC 6762 §3) and what its appendix G finds in use beside it, `home.arpa`
    /// (RFC 8375), `internal` (reserved by ICANN in 2024), `localdomain` (old hosts files), `onion` (RFC 7686 §2:
    /// never to be looked up).
    private static let zones = [
        "localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan",
        "home.arpa", "onion",
    ]

    static func isOne(_ host: String) -> Bool { zones.contains { host == $0 || host.hasSuffix("." + $0) } }
}
