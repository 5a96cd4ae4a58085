// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A URL in base64url within another text: the value of `url64=`, the source of imgproxy's path, or what follows imagor's `b64:`.
enum EncodedURL {
    /// The digits of a base64url text behind a symbol, percent-encoded or not, if they begin like those of an http or https URL,
    /// or if `url64=` or `b64:` precedes them; nil otherwise.
    /// - Parameter mayBeCut: true if slashes may divide the digits, as imgproxy allows.
    static func digits(
        in text: UnsafeRawBufferPointer, behind symbol: URLSymbol, mayBeCut: Bool
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard beginsURL(text[symbol.end...], mayBeCut: mayBeCut) || announcesBase64(symbol, in: text) else {
            return nil
        }
        var end = symbol.end
        while end < text.count {
            let digit = URLSymbol(at: end, in: text)
            let isCut = mayBeCut && digit.isSlash
            // A slash ends the digits if another base64 URL begins behind it, such as the source behind a watermark.
            guard isCut ? !beginsURL(text[digit.end...], mayBeCut: true) : digit.byte.isBase64URLDigit
            else { break }
            end = digit.end
        }
        return text[symbol.end..<end]
    }

    /// True if the text begins with the base64 digits of "http", in upper or lower case.
    private static func beginsURL(_ text: Slice<UnsafeRawBufferPointer>, mayBeCut: Bool) -> Bool {
        var count = 0
        for byte in text {
            // A slash before the first digit is no cut. Otherwise a text of slashes would be read to its end for each of them.
            if mayBeCut, count > 0, byte == UInt8(ascii: "/") { continue }
            guard isOfHTTP(byte, at: count) else { return false }
            count += 1
            if count == 5 { return true }
        }
        return false
    }

    /// True for each of the first five digits. Two bits of the "p" are in the sixth, and they are 0.
    private static func isOfHTTP(_ digit: UInt8, at index: Int) -> Bool {
        switch index {
        case 0: digit == UInt8(ascii: "a") || digit == UInt8(ascii: "S")
        case 1: digit == UInt8(ascii: "H") || digit == UInt8(ascii: "F")
        case 2: digit == UInt8(ascii: "R")
        case 3: digit == UInt8(ascii: "0") || digit == UInt8(ascii: "U")
        default: digit == UInt8(ascii: "c") || digit == UInt8(ascii: "U")
        }
    }

    /// True for the symbol behind `url64` or `b64`, whatever text follows.
    private static func announcesBase64(_ symbol: URLSymbol, in text: UnsafeRawBufferPointer) -> Bool {
        let before = text[..<symbol.start]
        return switch symbol.byte {
        case UInt8(ascii: "="): before.suffix(5).elementsEqual("url64".utf8)
        case UInt8(ascii: ":"): before.suffix(3).elementsEqual("b64".utf8)
        default: false
        }
    }

    /// The bytes that the digits encode; nil if they are no base64url.
    static func decoded(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let digits = plain(digits)
        // Behind the URL may be a file name, which leaves digits that encode no whole byte.
        return Base64URL.decode(digits) ?? Base64URL.decode(digits.dropLast(digits.count % 4))
    }

    /// The digits without slashes and percent-encoding, because the values of `url64=` and `b64:` are percent-decoded first.
    private static func plain(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var (plain, position) = ([UInt8](), digits.startIndex)
        while position < digits.endIndex {
            let symbol = URLSymbol(at: position, in: digits.base)
            if !symbol.isSlash { plain.append(symbol.byte) }
            position = symbol.end
        }
        return plain
    }
}

extension UInt8 {
    fileprivate var isBase64URLDigit: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
