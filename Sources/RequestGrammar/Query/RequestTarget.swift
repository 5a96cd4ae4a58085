// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A request target, split into path and query.
package struct RequestTarget: Sendable, Hashable {
    /// The path, percent-decoded once. Dot segments are not removed, because no route has any. Invalid UTF-8 is repaired here. No
    /// route has such bytes or control characters either, so such a path, though valid (RFC 3986 §2.1), matches nothing.
    package let path: String
    /// The path as received, with its escapes, for a dialect whose paths hold more than names.
    package let rawPath: [UInt8]
    /// The query as received, without the question mark, but with bytes from 0x80 on escaped; nil if there is none.
    package let query: [UInt8]?

    /// - Parameters:
    ///   - path: the decoded path.
    ///   - query: the query without the question mark.
    package init(path: String, query: [UInt8]?) {
        self.path = path
        rawPath = Array(path.utf8)
        self.query = query
    }

    /// Parses the origin form (RFC 9112 §3.2.1) or the absolute form, which a server must accept as well (§3.2.2).
    package init(_ target: some Sequence<UInt8>) throws(RequestError) {
        let bytes = Array(target)
        let origin = Self.removingAuthority(from: bytes[...])
        let rawPath = origin.prefix { $0 != UInt8(ascii: "?") }
        guard let decoded = PercentEscape.decode(rawPath) else { throw .invalidPath }
        self.path = decoded.isEmpty ? "/" : String(decoding: decoded, as: UTF8.self)
        self.rawPath = Array(rawPath)
        self.query =
            rawPath.endIndex < origin.endIndex ? Self.escaped(origin[(rawPath.endIndex + 1)...]) : nil
    }

    /// Escapes bytes that are not ASCII, so that later readers see only one spelling of them.
    private static func escaped(_ query: ArraySlice<UInt8>) -> [UInt8] {
        query.contains { $0 >= 0x80 } ? PercentEscape.encode(query) { $0 < 0x80 } : Array(query)
    }

    private static func removingAuthority(from target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard target.first != UInt8(ascii: "/") else { return target }
        for scheme in ["http://", "https://"]
        where target.prefix(scheme.utf8.count).map(\.asciiLowercased) == Array(scheme.utf8) {
            let rest = target.dropFirst(scheme.utf8.count)
            return rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        }
        return target
    }
}
