// SPDX-License-Identifier: Apache-2.0

/// A source URL, parsed once and normalised, so that the URL that is checked is the URL that is fetched.
package struct SourceURL: Sendable, Hashable {
    /// The schemes that can be fetched.
    package enum Scheme: String, Sendable, Hashable {
        case http, https

        /// 80 for http, 443 for https.
        package var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// The URL's scheme.
    package let scheme: Scheme
    /// Lower case, punycode, without a trailing dot; IPv4 as a dotted quad; IPv6 as RFC 5952 says, without
    /// brackets.
    package let host: String
    /// Explicit or the scheme's default.
    package let port: UInt16
    /// Path and query as sent to the origin, starting with "/".
    package let target: String

    /// Takes parts that are normalised already; `parse(_:bareScheme:)` reads text.
    package init(scheme: Scheme, host: String, port: UInt16, target: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.target = target
    }
}

extension SourceURL {
    /// The normalised absolute URL: the default port dropped, no fragment, no user information.
    package var absolute: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let standard = port == scheme.defaultPort
        return "\(scheme.rawValue)://\(name)\(standard ? "" : ":\(port)")\(target)"
    }

    /// The cache key of the original behind this URL.
    package var key: OriginalKey { OriginalKey(url: absolute) }
}
