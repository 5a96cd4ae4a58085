// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A byte of a URL, percent-encoded any number of times: `&`, `%26`, `%2526`.
struct URLSymbol {
    let byte: UInt8
    let start: Int
    let end: Int
    /// How many times the byte is percent-encoded.
    let depth: Int

    init(at start: Int, in text: UnsafeRawBufferPointer) {
        self.start = start
        var next = start + 1
        var depth = 1
        if text[start] == UInt8(ascii: "%") {
            while let byte = Self.hexadecimal(at: next, in: text) {
                next += 2
                // A decoded "%25" is a "%", which may begin another encoded byte.
                guard byte == UInt8(ascii: "%"), Self.hexadecimal(at: next, in: text) != nil else {
                    (self.byte, self.end, self.depth) = (byte, next, depth)
                    return
                }
                depth += 1
            }
        }
        (byte, end, self.depth) = (text[start], start + 1, 0)
    }

    var isDelimiter: Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"): true
        default: false
        }
    }

    /// True for a byte that ends the authority, if it is encoded as often as the URL is (RFC 3986 §3.2).
    var endsAuthority: Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    var endsPath: Bool { depth == 0 && byte == UInt8(ascii: "?") }
    var isComma: Bool { byte == UInt8(ascii: ",") }
    var isBracket: Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") }
    var isSlash: Bool { depth == 0 && byte == UInt8(ascii: "/") }

    /// True for a byte that may precede a value, a segment, or the text of `b64:`, even in a URL within a URL.
    var mayPrecedeBase64: Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":")
    }

    /// Where the word, which is in lower case, ends in a text that begins with it; nil if the text does not begin with it.
    static func end(of word: [UInt8], in text: Slice<UnsafeRawBufferPointer>) -> Int? {
        var position = text.startIndex
        for expected in word {
            guard position < text.endIndex else { return nil }
            let symbol = URLSymbol(at: position, in: text.base)
            let isCapital = (0x41...0x5A).contains(symbol.byte)
            guard symbol.byte | (isCapital ? 0x20 : 0) == expected else { return nil }
            position = symbol.end
        }
        return position
    }

    /// The value of two hexadecimal digits.
    private static func hexadecimal(at start: Int, in text: UnsafeRawBufferPointer) -> UInt8? {
        guard start + 1 < text.count, let high = text[start].hexDigitValue,
            let low = text[start + 1].hexDigitValue
        else { return nil }
        return high << 4 | low
    }
}
