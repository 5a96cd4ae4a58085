// SPDX-License-Identifier: Apache-2.0

/// RFC 3986 §2.1: `%` and two hexadecimal digits.
package enum PercentEscape {
    /// The byte that the escape at `index` stands for; nil if no whole escape begins there.
    package static func byte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, bytes[index] == UInt8(ascii: "%"),
            let high = bytes[index + 1].hexDigitValue, let low = bytes[index + 2].hexDigitValue
        else { return nil }
        return high << 4 | low
    }

    /// The bytes with every escape replaced by its byte; nil if a `%` begins no escape.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] != UInt8(ascii: "%") {
                decoded.append(bytes[index])
                index += 1
            } else {
                guard let byte = byte(in: bytes, at: index) else { return nil }
                decoded.append(byte)
                index += 3
            }
        }
        return decoded
    }

    /// The bytes with every escape replaced by its byte; a `%` that begins no escape stands for itself.
    package static func decode(lenient bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = byte(in: bytes, at: index)
            decoded.append(byte ?? bytes[index])
            index += byte == nil ? 1 : 3
        }
        return decoded
    }

    /// The bytes with an escape in place of each byte that is not kept. By default the unreserved bytes are kept.
    package static func encode(
        _ bytes: ArraySlice<UInt8>, keeping isKept: (UInt8) -> Bool = { $0.isUnreserved }
    ) -> [UInt8] {
        escaped(bytes, isKept)
    }

    /// As `encode` of bytes, for the text's UTF-8.
    package static func encode(
        _ text: String, keeping isKept: (UInt8) -> Bool = { $0.isUnreserved }
    ) -> String {
        String(decoding: escaped(text.utf8, isKept), as: UTF8.self)
    }

    /// Bytes that are no UTF-8, as text: each of them that is not printable ASCII becomes an escape.
    package static func text(escaping bytes: [UInt8]) -> String {
        String(decoding: escaped(bytes) { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    private static func escaped(_ bytes: some Collection<UInt8>, _ isKept: (UInt8) -> Bool) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for byte in bytes { if isKept(byte) { escaped.append(byte) } else { append(byte, to: &escaped) } }
        return escaped
    }

    /// Appends the escape of `byte`, with upper-case digits (RFC 3986 §2.1).
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append((byte >> 4).hexDigit.asciiUppercased)
        bytes.append(byte.hexDigit.asciiUppercased)
    }
}
