// SPDX-License-Identifier: Apache-2.0

/// XML in UTF-16, which begins with a byte order mark (XML 1.0 §4.3.3). Parsers recognise the encoding by that mark, whatever
/// the declaration says.
enum UTF16Text {
    /// The text in UTF-8; nil if it does not begin with a byte order mark of UTF-16.
    static func utf8(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count >= 2 else { return nil }
        let isBig: Bool
        switch (text[0], text[1]) {
        case (0xFE, 0xFF): isBig = true
        case (0xFF, 0xFE): isBig = false
        default: return nil
        }
        var units: [UInt16] = []
        units.reserveCapacity(text.count / 2)
        for place in stride(from: 2, to: text.count - 1, by: 2) {
            // Cannot trap: a byte fits into two.
            let (first, second) = (UInt16(text[place]), UInt16(text[place + 1]))
            units.append(isBig ? first << 8 | second : second << 8 | first)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
