// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Path and query as a browser would send them, so that the origin sees the same target from all its
/// visitors: dot segments are removed (RFC 3986 §5.2.4, `%2e` counts as a dot), existing escapes are kept
/// with upper-case digits, and forbidden bytes are escaped (the WHATWG URL standard's path and special-query
/// percent-encode sets).
enum TargetNormaliser {
    /// The normalised target of a text that is empty or begins with `/` or `?`.
    static func normalise(_ text: ArraySlice<UInt8>) -> String {
        if isNormal(text) { return String(decoding: text, as: UTF8.self) }
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        var target: [UInt8] = []
        target.reserveCapacity(text.count + 1)
        if mayHoldDotSegments(path) || path.isEmpty {
            for segment in removingDotSegments(from: path) {
                target.append(UInt8(ascii: "/"))
                append(segment, to: &target, escaping: isEscapedInPath)
            }
        } else {
            append(path, to: &target, escaping: isEscapedInPath)
        }
        append(text[path.endIndex...], to: &target, escaping: isEscapedInQuery)
        return String(decoding: target, as: UTF8.self)
    }

    /// True for a text that is certainly in normal form already, as most are: without escapes, without bytes that need one in a path
    /// or in a query, and without a segment that begins with a dot.
    private static func isNormal(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "/") else { return false }
        var isAtStart = false
        for byte in text {
            if !isPlain(byte) || isAtStart && byte == UInt8(ascii: ".") { return false }
            isAtStart = byte == UInt8(ascii: "/")
        }
        return true
    }

    /// True for ASCII that is never escaped and no part of an escape: everything except `"%'<>^` and the backtick, braces, space,
    /// controls and DEL.
    private static func isPlain(_ byte: UInt8) -> Bool {
        // One bit for each character, as in `isTokenByte`.
        let word: UInt64 = byte < 64 ? 0xAFFF_FF5A_0000_0000 : 0x57FF_FFFE_BFFF_FFFF
        // Cannot trap: widens 8 bits to 64.
        return byte < 0x80 && word &>> UInt64(byte & 63) & 1 == 1
    }

    /// False if no segment begins like a dot segment, as in most paths.
    private static func mayHoldDotSegments(_ path: ArraySlice<UInt8>) -> Bool {
        var isAtStart = false
        for byte in path {
            if isAtStart, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            isAtStart = byte == UInt8(ascii: "/")
        }
        return false
    }

    /// The remaining segments, each to be written after a slash; at least one.
    private static func removingDotSegments(from path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let dots = dots(in: segment)
            // Cannot trap: the list is not empty.
            if dots == 2, !kept.isEmpty { kept.removeLast() }
            if dots == nil { kept.append(segment) }
            // A dot segment at the end leaves its directory: "/a/.." is "/".
            if dots != nil, index == segments.count - 1 { kept.append([]) }
        }
        return kept
    }

    /// 1 for ".", 2 for "..", in any escaped form; nil for any other segment.
    private static func dots(in segment: ArraySlice<UInt8>) -> Int? {
        guard segment.count <= 6, let decoded = PercentEscape.decode(segment) else { return nil }
        guard (1...2).contains(decoded.count), decoded.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
            return nil
        }
        return decoded.count
    }

    private static func append(
        _ bytes: ArraySlice<UInt8>, to target: inout [UInt8], escaping isEscaped: (UInt8) -> Bool
    ) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), PercentEscape.byte(in: bytes, at: index) != nil {
                // Cannot trap: an escape has two digits after its percent sign.
                for place in index..<index + 3 { target.append(bytes[place].asciiUppercased) }
                index += 3
                continue
            }
            // A stray percent sign stands for itself.
            if byte >= 0x80 || byte == UInt8(ascii: "%") || isEscaped(byte) {
                PercentEscape.append(byte, to: &target)
            } else {
                target.append(byte)
            }
            index += 1
        }
    }

    private static func isEscapedInPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    private static func isEscapedInQuery(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "'"):
            true
        default: false
        }
    }
}
