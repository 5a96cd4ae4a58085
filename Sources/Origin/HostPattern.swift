// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import ImageModel

/// Hosts by name: `images.example` is that one, `*.images.example` every name below it, at any depth, and not
/// itself. Read by the parser of source URLs, so that both sides of a comparison are normalised alike.
package struct HostPattern: Sendable, Hashable {
    private let name: String
    private let isSuffix: Bool

    /// Nil for what is no host, and for a wildcard before an address, below which there is nothing.
    package init?(_ text: String) {
        isSuffix = text.hasPrefix("*.")
        let host = isSuffix ? text.dropFirst(2) : text[...]
        // Anything here that is more than a host would change what the pattern means.
        guard !host.contains(where: { "/?#@%\\*".contains($0) }) else { return nil }
        let isBare = host.contains(":") && !host.hasPrefix("[")
        guard host.hasPrefix("[") == host.hasSuffix("]"),
            let url = try? SourceURL.parse("http://" + (isBare ? "[\(host)]" : host) + "/")
        else { return nil }
        name = url.host
        guard !isSuffix || IPAddress(name) == nil else { return nil }
    }

    /// `host` as in `SourceURL.host`.
    package func matches(_ host: String) -> Bool {
        isSuffix ? host.hasSuffix("." + name) : host == name
    }
}
