// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A request target, split but for the query's parameters.
package struct RequestTarget: Sendable, Hashable {
    /// Percent-decoded once; no dot segments are removed, since no route has any. Neither does one have control
    /// characters or what is no UTF-8 (repaired here): such a path is valid (RFC 3986 §2.1) and leads nowhere.
    package let path: String
    /// As it came, with its escapes, for a dialect whose paths hold more than names.
    package let rawPath: [UInt8]
    /// As it came, without the question mark, but for bytes from 0x80, which are escaped; nil where there is none.
    package let query: [UInt8]?

    /// - Parameters:
    ///   - path: decoded.
    ///   - query: without the question mark.
    package init(path: String, query: [UInt8]?) {
        self.path = path
        rawPath = Array(path.utf8)
        self.query = query
    }

    /// Origin form (RFC 9112 §3.2.1) or absolute form, which a server has to accept as well (§3.2.2).
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

    /// The one spelling of what is not ASCII, so that nothing behind this sees two.
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
