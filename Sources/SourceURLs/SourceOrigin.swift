// SPDX-License-Identifier: Apache-2.0

/// An origin (RFC 6454 §4): the scheme, host and port that serve a source.
package struct SourceOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme; http and https on one host and port are two origins.
    package let scheme: SourceURL.Scheme
    /// The host, normalised as in `SourceURL`.
    package let host: String
    /// The explicit port, or the scheme's default.
    package let port: UInt16

    /// Takes parts that are normalised already.
    package init(scheme: SourceURL.Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// `https://images.example:8443`, without the scheme's default port.
    package var description: String {
        String(SourceURL(scheme: scheme, host: host, port: port, target: "").absolute)
    }
}

extension SourceURL {
    /// The origin that serves this URL.
    package var origin: SourceOrigin { SourceOrigin(scheme: scheme, host: host, port: port) }
}
