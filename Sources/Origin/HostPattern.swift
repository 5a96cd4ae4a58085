// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import SourceURLs

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
        var host = host
        return host.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// `host` in ASCII, of either case. Allocates nothing.
    package func matches(_ host: UnsafeRawBufferPointer) -> Bool {
        let count = name.utf8.count
        guard isSuffix ? host.count > count + 1 : host.count == count else { return false }
        let start = host.count - count
        guard !isSuffix || host[start - 1] == UInt8(ascii: ".") else { return false }
        return zip(host[start...], name.utf8).allSatisfy { given, own in
            given == own || (0x41...0x5A).contains(given) && given | 0x20 == own
        }
    }
}
