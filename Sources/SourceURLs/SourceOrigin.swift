// SPDX-License-Identifier: Apache-2.0

/// Who is asked for a source (RFC 6454 §4): one server or one farm of them, as far as a client can tell.
package struct SourceOrigin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: SourceURL.Scheme
    package let host: String
    package let port: UInt16

    package init(scheme: SourceURL.Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// `https://images.example:8443`, the default port dropped.
    package var description: String {
        String(SourceURL(scheme: scheme, host: host, port: port, target: "").absolute)
    }
}

extension SourceURL {
    package var origin: SourceOrigin { SourceOrigin(scheme: scheme, host: host, port: port) }
}
