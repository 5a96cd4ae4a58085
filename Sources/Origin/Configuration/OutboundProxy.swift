// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import SourceURLs

/// A proxy for requests to origins: an HTTP proxy, with CONNECT for https (RFC 9110 §9.3.6), or a SOCKS 5 proxy (RFC 1928).
///
/// The proxy resolves names, so the rules about addresses cannot be applied to what it dials. The rules about URLs, hosts, ports
/// and literal addresses still apply.
package struct OutboundProxy: Sendable, Hashable {
    /// The protocol of the proxy.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, socks5

        /// The port if the URL names none; for socks5 by RFC 1928.
        fileprivate var port: UInt16 { self == .http ? 8080 : 1080 }
        /// The protocol in libcurl's spelling; libcurl's `socks5` would resolve names on this machine.
        fileprivate var curlName: String { self == .http ? "http" : "socks5h" }
    }

    /// The protocol of the proxy.
    package let scheme: Scheme
    /// The proxy's URL as CURLOPT_PROXY takes it.
    let url: String
    /// The proxy's host and port, as the URL of an HTTP server.
    let place: SourceURL
    /// The user, sent only to the proxy; empty for none.
    package var user = ""
    /// The password, sent only to the proxy; empty for none.
    package var password = ""
    /// Hosts that are dialled without the proxy.
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
        // The parser leaves out port 80, which is not always the default here.
        let namesPort = rest.last != "]" && rest.contains(":")
        let port = namesPort ? read.port : scheme.port
        self.scheme = scheme
        url = "\(scheme.curlName)://\(read.uriHost):\(port)"
        place = SourceURL(scheme: .http, host: read.host, port: port, target: "/")
    }

    /// `http://proxy.example:3128`, without the password.
    package var name: String { "\(scheme.rawValue)://\(place.uriHost):\(place.port)" }

    /// True if requests to this host go through the proxy.
    func serves(_ host: String) -> Bool { !direct.contains { $0.matches(host) } }
}
