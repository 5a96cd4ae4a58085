// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Recognises XML documents whose first element is `svg`, with or without a prefix. It skips the byte order
/// mark, white space, declarations, comments and the document type. It reads UTF-8 and its subsets, and
/// UTF-16 with a byte order mark.
enum SVGSignature {
    static func format(of start: [UInt8]) -> ImageFormat? { attributes(of: start) == nil ? nil : .svg }

    /// The bytes behind the root element's name, in UTF-8; nil if the root is no `svg`.
    static func attributes(of start: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = (UTF16Text.utf8(start.span) ?? start)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if rest.starts(with: "<?".utf8) {
                guard let next = after("?>", in: rest) else { return nil }
                rest = next
            } else if rest.starts(with: "<!--".utf8) {
                guard let next = after("-->", in: rest.dropFirst(4)) else { return nil }
                rest = next
            } else if rest.prefix(9).map(\.asciiUppercased) == Array("<!DOCTYPE".utf8) {
                guard let next = afterDocumentType(rest) else { return nil }
                rest = next
            } else {
                return afterName(rest)
            }
        }
    }

    private static func after(_ end: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let mark = Array(end.utf8)
        let found = bytes.indices.first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
        return found.map { bytes[($0 + mark.count)...] }
    }

    /// The internal subset in brackets may contain `>`.
    private static func afterDocumentType(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var depth = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "]") { depth -= 1 }
            if byte == UInt8(ascii: ">"), depth <= 0 { return bytes[(index + 1)...] }
        }
        return nil
    }

    private static func afterName(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.first == UInt8(ascii: "<") else { return nil }
        let name = bytes.dropFirst().prefix {
            $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0)
        }
        let rest = bytes[name.endIndex...]
        guard let after = rest.first, [0x20, 0x09, 0x0A, 0x0D, 0x2F, 0x3E].contains(after),
            name.split(separator: UInt8(ascii: ":")).last?.elementsEqual("svg".utf8) == true
        else { return nil }
        return rest
    }
}
