// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import SourceURLs

/// A proxy that origins are asked through: of HTTP, with CONNECT for https (RFC 9110 §9.3.6), or SOCKS 5 (RFC 1928).
///
/// The proxy looks up the names, so the rules about addresses cannot be asked of what it dials. Those about URLs, hosts,
/// ports and literal addresses hold as ever.
package struct OutboundProxy: Sendable, Hashable {
    /// The language of the proxy.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, socks5

        /// Where a URL names none; socks5's by RFC 1928.
        fileprivate var port: UInt16 { self == .http ? 8080 : 1080 }
        /// As libcurl names it; its `socks5` would look up names here.
        fileprivate var curlName: String { self == .http ? "http" : "socks5h" }
    }

    /// The language of the proxy.
    package let scheme: Scheme
    /// As libcurl takes it (CURLOPT_PROXY).
    let url: String
    /// The proxy's host and port, as an HTTP server's.
    let place: SourceURL
    /// For the proxy alone; empty for none.
    package var user = ""
    /// For the proxy alone; empty for none.
    package var password = ""
    /// Hosts that are asked without it.
    package var direct: [HostPattern] = []

    /// Reads `http://proxy.example:3128` or `socks5://10.0.0.1`; nil for anything else, and for a URL with a user, a path or
    /// a query.
    package init?(_ text: String) {
        guard let end = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<end.lowerBound].lowercased()),
            !text.contains("@"), !text.contains("?"), !text.contains("#")
        else { return nil }
        var rest = text[end.upperBound...]
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.isEmpty, !rest.contains("/"), !rest.hasSuffix(":"),
            let read = try? SourceURL.parse("http://\(rest)/"), read.target == "/"
        else { return nil }
        // SourceURL leaves out the port 80, which need not be the default here.
        let namesPort = rest.last != "]" && rest.contains(":")
        let port = namesPort ? read.port : scheme.port
        self.scheme = scheme
        url = "\(scheme.curlName)://\(read.uriHost):\(port)"
        place = SourceURL(scheme: .http, host: read.host, port: port, target: "/")
    }

    /// `http://proxy.example:3128`, without the password.
    package var name: String { "\(scheme.rawValue)://\(place.uriHost):\(place.port)" }

    /// True if this host is asked through it.
    func serves(_ host: String) -> Bool { !direct.contains { $0.matches(host) } }
}
