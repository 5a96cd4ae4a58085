// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Clients
internal import HTTPSemantics
package import SourceURLs

/// The rules against server-side request forgery: they say where originals may come from, and are applied at every hop.
///
///   URL as asked or redirected to ─▶ lists of hosts and URLs, port, literal address     before anything is done
///   each address that a name has  ─▶ port, special ranges, networks, our own listeners  before its socket is made
///   the address that is connected ─▶ the same once more                                 before the request is sent
///
/// Only dialled addresses count, never an earlier look-up, so a name that changes its address in between gains nothing (DNS
/// rebinding). The third check is made for kept connections as well, because they were dialled under a policy that may have been
/// replaced.
package struct SourcePolicy: Sendable, Hashable {
    /// Rules for the addresses and ports behind a name.
    package var addresses: AddressPolicy
    /// If not empty, only these hosts are open, and the URLs in `allowedURLs`.
    package var allowedHosts: [HostPattern] = []
    /// Hosts that are closed, whatever a list allows.
    package var deniedHosts: [HostPattern] = []
    /// If not empty, only these URLs are open, and the hosts in `allowedHosts`.
    package var allowedURLs: [URLPrefix] = []
    /// URLs that are closed, whatever a list allows.
    package var deniedURLs: [URLPrefix] = []

    /// A policy without lists.
    package init(addresses: AddressPolicy = AddressPolicy()) { self.addresses = addresses }

    /// Why this URL may not be fetched; nil if it may be tried.
    package func refusal(of url: SourceURL) -> SourceRefusal? {
        guard url.scheme.isWeb else { return .scheme }
        if let refusal = denial(ofWeb: url) ?? url.byInnerAddress.flatMap(denial(ofWeb:)) { return refusal }
        let isListed =
            allowedHosts.contains { $0.matches(url.host) } || allowedURLs.surelyHold(url)
        if !isListed && !(allowedHosts.isEmpty && allowedURLs.isEmpty) { return .notListed }
        if let address = IPAddress(url.host) { return addresses.refusal(of: address, port: url.port) }
        if !isListed && !knowsInside && InternalHostName.isInternal(url.host) { return .insideName }
        return addresses.refusal(ofPort: url.port)
    }

    private func denial(ofWeb url: SourceURL) -> SourceRefusal? {
        if deniedHosts.contains(where: { $0.matches(url.host) }) { return .host }
        // The origin also gets the parameters that are left out of the URL's key.
        let isDenied =
            deniedURLs.maybeHold(url) || url.sentTarget != nil && deniedURLs.maybeHold(url.sent)
        return isDenied ? .url : nil
    }

    /// Why this URL of a named folder or bucket may not be fetched: only the lists of denied URLs apply.
    package func denial(of url: SourceURL) -> SourceRefusal? {
        deniedURLs.maybeHold(url) ? .url : nil
    }

    /// True if a failed look-up of the host must not be reported, because it would reveal that an internal name does not exist.
    func hidesAbsence(of host: String) -> Bool { !knowsInside && !host.contains(".") }

    /// True if the configuration permits internal addresses, so that internal names are meant to be resolved.
    package var knowsInside: Bool { addresses.allowsPrivate || !addresses.allowed.isEmpty }
}

extension SourceURL {
    /// The same URL with the IPv4 address that is embedded in its IPv6 address (`[::ffff:192.0.2.1]`), to which packets may go;
    /// nil if there is none. A list that denies an address means all its forms.
    fileprivate var byInnerAddress: SourceURL? {
        guard host.utf8.contains(UInt8(ascii: ":")), let address = IPAddress(host) else { return nil }
        let inner = address.unmapped == address ? SpecialRange.carried(in: address) : address.unmapped
        guard case .v4(let value) = inner else { return nil }
        return SourceURL(
            scheme: scheme, host: AddressText.text(v4: value), port: port, target: target,
            sentTarget: sentTarget)
    }
}

/// Names that only exist in internal networks and that no public resolver knows. A look-up would ask this network's resolver, and
/// the time or the kind of the answer would reveal which names exist.
enum InternalHostName {
    /// `localhost` (RFC 6761 §6.3), `local` (RFC 6762 §3) and the names that its appendix G lists beside it,
    /// `home.arpa` (RFC 8375), `internal` (reserved by ICANN in 2024), `localdomain` (old hosts files),
    /// `onion` (RFC 7686 §2: must not be looked up).
    private static let zones = [
        "localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan",
        "home.arpa", "onion",
    ]

    static func isInternal(_ host: String) -> Bool {
        zones.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}
