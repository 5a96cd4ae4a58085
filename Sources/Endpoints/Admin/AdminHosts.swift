// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Origin
internal import Settings

/// The names by which the admin listener may be asked for.
///
/// A page can have its own name lead to this listener's address (DNS rebinding), and the visitor's browser then lets it
/// read the answers, as its own. But the browser says in `Host` (RFC 9110 §7.2) which name that was. An address is
/// nobody's name, and who says none at all is no browser.
package struct AdminHosts: Sendable {
    let names: [HostPattern]

    /// Over a Unix socket no page asks.
    func include(_ request: Request) -> Bool { request.peer.address == nil || include(request.authority) }

    /// - Parameter authority: `host:port`, as `Host` has it.
    func include(_ authority: String) -> Bool {
        if authority.isEmpty { return true }
        if authority.hasPrefix("[") {
            let address = authority.dropFirst().prefix { $0 != "]" }
            let rest = authority.dropFirst(address.count + 1)
            return IPAddress(String(address)) != nil && (rest == "]" || rest.hasPrefix("]:"))
        }
        var host = authority.prefix { $0 != ":" }.lowercased()
        // Cannot trap: there is a last.
        if host.hasSuffix(".") { host.removeLast() }
        // Names in `localhost` are the machine's own (RFC 6761 §6.3).
        if host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host) != nil { return true }
        return names.contains { $0.matches(host) }
    }
}

extension Settings {
    /// Those of the settings, and the names in `admin.listen`.
    package var adminHosts: AdminHosts {
        get throws(UnusableSetting) {
            var names: [HostPattern] = []
            for text in admin.hosts {
                guard let name = HostPattern(text) else {
                    throw UnusableSetting(description: "admin.hosts: \"\(text)\" is no host and no *.host")
                }
                names.append(name)
            }
            for case .tcp(let host, _)? in admin.listen.map({ ListenAddress(text: $0) }) {
                if let name = HostPattern(host) { names.append(name) }
            }
            return AdminHosts(names: names)
        }
    }
}
