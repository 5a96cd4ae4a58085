// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Origin
internal import Settings

/// The host names that the admin listener answers to.
///
/// This prevents DNS rebinding: a page makes its own host name resolve to this listener's address, so that the visitor's browser
/// treats the answers as the page's own. The browser still sends that name in `Host` (RFC 9110 §7.2). Addresses are safe, because no
/// page can rebind one, and a request without `Host` comes from no browser.
package struct AdminHosts: Sendable {
    let names: [HostPattern]

    /// True for every request on a unix socket, which browsers cannot reach.
    func include(_ request: Request) -> Bool { request.peer.address == nil || include(request.authority) }

    /// True for an empty authority, an address, `localhost` and the listed names.
    /// - Parameter authority: `host:port`, as in `Host`.
    func include(_ authority: String) -> Bool {
        if authority.isEmpty { return true }
        if authority.hasPrefix("[") {
            let address = authority.dropFirst().prefix { $0 != "]" }
            let rest = authority.dropFirst(address.count + 1)
            return IPAddress(String(address)) != nil && (rest == "]" || rest.hasPrefix("]:"))
        }
        var host = authority.prefix { $0 != ":" }.lowercased()
        // Cannot trap: the string ends with the suffix.
        if host.hasSuffix(".") { host.removeLast() }
        // Names below `localhost` belong to the machine itself (RFC 6761 §6.3).
        if host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host) != nil { return true }
        return names.contains { $0.matches(host) }
    }
}

extension Settings {
    /// The names in `admin.hosts` and in `admin.listen`.
    /// - Throws: for an entry of `admin.hosts` that is no host pattern.
    package var adminHosts: AdminHosts {
        get throws(UnusableSetting) {
            var names = try HostPatterns.read(admin.hosts, "admin.hosts")
            for case .tcp(let host, _)? in admin.listen.map({ ListenAddress(text: $0) }) {
                if let name = HostPattern(host) { names.append(name) }
            }
            return AdminHosts(names: names)
        }
    }
}
