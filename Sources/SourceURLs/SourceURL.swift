// SPDX-License-Identifier: Apache-2.0

/// Where an original comes from, parsed once and normalised: what is checked is what is fetched.
package struct SourceURL: Sendable, Hashable {
    package enum Scheme: String, Sendable, Hashable {
        case http, https

        package var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    package let scheme: Scheme
    /// Lower case, punycode, without a trailing dot; IPv4 as a dotted quad; IPv6 as RFC 5952 says, without
    /// brackets.
    package let host: String
    /// Explicit or the scheme's default.
    package let port: UInt16
    /// Path and query as they go on the wire, starting with "/".
    package let target: String

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

    package var key: OriginalKey { OriginalKey(url: absolute) }
}
