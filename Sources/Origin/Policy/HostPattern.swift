// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Clients
internal import HTTPSemantics
internal import SourceURLs

/// A pattern for hosts: `images.example` matches that name alone, `*.images.example` every name below it at
/// any depth, but not itself. The parser of source URLs reads it, so that both sides of a comparison are
/// normalised alike.
package struct HostPattern: Sendable, Hashable {
    let name: String
    let isSuffix: Bool

    /// Nil if the text is not a host, or if a wildcard precedes an address, because there are no names below an address.
    package init?(_ text: String) {
        isSuffix = text.hasPrefix("*.")
        let host = isSuffix ? text.dropFirst(2) : text[...]
        // Anything besides a host would change the pattern's meaning.
        guard !host.contains(where: { "/?#@%\\*".contains($0) }) else { return nil }
        let isBare = host.contains(":") && !host.hasPrefix("[")
        guard host.hasPrefix("[") == host.hasSuffix("]"),
            let url = try? SourceURL.parse("http://" + (isBare ? "[\(host)]" : host) + "/")
        else { return nil }
        name = url.host
        guard !isSuffix || IPAddress(name) == nil else { return nil }
    }

    /// The pattern as the settings spell it, normalised.
    var text: String { isSuffix ? "*.\(name)" : name }

    /// The only name that the pattern matches; nil for a wildcard.
    var exactName: String? { isSuffix ? nil : name }

    /// True if the pattern matches; `host` as in `SourceURL.host`.
    package func matches(_ host: String) -> Bool { host.withFieldBytes(matches) }

    /// True if the pattern matches; `host` in ASCII, of either case. Allocates nothing.
    package func matches(_ host: UnsafeRawBufferPointer) -> Bool {
        let count = name.utf8.count
        guard isSuffix ? host.count > count + 1 : host.count == count else { return false }
        let start = host.count - count
        guard !isSuffix || host[start - 1] == UInt8(ascii: ".") else { return false }
        return zip(host[start...], name.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }
}
