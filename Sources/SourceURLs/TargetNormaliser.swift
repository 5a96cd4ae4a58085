// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Path and query as a browser would send them, so that the origin sees the same target from all its
/// visitors: dot segments are removed (RFC 3986 §5.2.4, `%2e` counts as a dot), existing escapes are kept
/// with upper-case digits, and forbidden bytes are escaped (the WHATWG URL standard's path and special-query
/// percent-encode sets).
enum TargetNormaliser {
    private static let pathEscapes = Set(" \"<>^`{}".utf8)
    private static let queryEscapes = Set(" \"<>'".utf8)

    /// The normalised target of a text that is empty or begins with `/` or `?`.
    static func normalise(_ text: ArraySlice<UInt8>) -> String {
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        let segments = removingDotSegments(from: path)
        var target: [UInt8] = []
        for segment in segments {
            target.append(UInt8(ascii: "/"))
            append(segment, to: &target, escaping: pathEscapes)
        }
        append(text[path.endIndex...], to: &target, escaping: queryEscapes)
        return String(decoding: target, as: UTF8.self)
    }

    /// The remaining segments, each to be written after a slash; at least one.
    private static func removingDotSegments(from path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let dots = dots(in: segment)
            // Cannot trap: it is not empty.
            if dots == 2, !kept.isEmpty { kept.removeLast() }
            if dots == nil { kept.append(segment) }
            // A dot segment at the end leaves its directory: "/a/.." is "/".
            if dots != nil, index == segments.count - 1 { kept.append([]) }
        }
        return kept
    }

    /// 1 for ".", 2 for "..", however they are escaped; nil for any other segment.
    private static func dots(in segment: ArraySlice<UInt8>) -> Int? {
        guard segment.count <= 6, let decoded = PercentEscape.decode(segment) else { return nil }
        guard (1...2).contains(decoded.count), decoded.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
            return nil
        }
        return decoded.count
    }

    private static func append(
        _ bytes: ArraySlice<UInt8>, to target: inout [UInt8], escaping set: Set<UInt8>
    ) {
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte >= 0x80 || set.contains(byte) {
                PercentEscape.append(byte, to: &target)
            } else if byte == UInt8(ascii: "%"), PercentEscape.byte(in: bytes, at: index) == nil {
                // A stray percent sign stands for itself.
                PercentEscape.append(byte, to: &target)
            } else {
                target.append(isEscapeDigit(bytes, index) ? byte.asciiUppercased : byte)
            }
        }
    }

    private static func isEscapeDigit(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Bool {
        [1, 2].contains { back in
            index - back >= bytes.startIndex && PercentEscape.byte(in: bytes, at: index - back) != nil
        }
    }
}
