// SPDX-License-Identifier: Apache-2.0
// A drawing contains pictures as data URLs (RFC 2397) in attributes: in base64, mostly with line breaks, or with
// percent escapes. URLs that are spelt with the document's own entities are not found here.

internal import Bytes

/// The pictures within a drawing.
package enum SVGPictures {
    /// The most decoded bytes of each picture that are read. A header ends before, and a drawing within a
    /// drawing must end before.
    private static let reach = 1 << 20
    /// The deepest nesting of drawings within drawings.
    private static let depth = 4

    /// The most pictures in a drawing, nested ones included.
    static let most = 1_000

    /// The first bytes of drawings that librsvg reads and this parser does not: gzip (RFC 1952), or encodings that libxml2
    /// recognises by the first `<` (XML 1.0 appendix F): two bytes a character without a byte order mark, four bytes, and EBCDIC.
    private static let unread: [[UInt8]] = [
        [0x1F, 0x8B], [0x00, 0x3C, 0x00, 0x3F], [0x3C, 0x00, 0x3F, 0x00], [0x00, 0x00, 0x00, 0x3C],
        [0x3C, 0x00, 0x00, 0x00], [0x00, 0x00, 0x3C, 0x00], [0x00, 0x3C, 0x00, 0x00],
        [0x4C, 0x6F, 0xA7, 0x94],
    ]

    /// The pixels of all these pictures together, by their headers; `Int.max` if they cannot be counted.
    /// - Parameter limit: counting stops beyond it.
    package static func pixels(in drawing: Span<UInt8>, upTo limit: Int = .max) -> Int {
        var count = Count(limit: limit)
        count.add(drawing, depth: depth)
        return count.pixels
    }

    private struct Count {
        let limit: Int
        private(set) var pixels = 0
        private var pictures = 0
        /// One reader's budget serves all pictures together.
        private var reader = HeaderReader(HeaderBytes([]))

        init(limit: Int) { self.limit = limit }

        mutating func add(_ drawing: Span<UInt8>, depth: Int) {
            if let text = UTF16Text.utf8(drawing) {
                addText(text.span, depth: depth)
            } else {
                addText(drawing, depth: depth)
            }
        }

        private mutating func addText(_ drawing: Span<UInt8>, depth: Int) {
            var (place, commas) = (0, Commas())
            while pixels <= limit, pixels < .max,
                let (content, end) = nextPicture(in: drawing, from: place, &commas)
            {
                place = end
                if !take(content, depth: depth) { pixels = .max }
            }
        }

        /// False if the picture's size cannot be determined, or there are too many pictures.
        private mutating func take(_ content: [UInt8], depth: Int) -> Bool {
            reader = HeaderReader(HeaderBytes(content), after: reader)
            let header = try? ImageHeader.parse(&reader)
            guard !reader.isExhausted else { return false }
            // A drawing without a pixel may still have pictures in it.
            guard let format = header?.format ?? SVGSignature.format(of: content) else {
                return !unread.contains { content.starts(with: $0) }
            }
            pictures += 1
            guard pictures <= most else { return false }
            guard let header, format != .svg else {
                guard depth > 0, content.count < reach else { return false }
                add(content.span, depth: depth - 1)
                return true
            }
            let more = header.stored.area
            pixels = more > .max - pixels ? .max : pixels + more
            return true
        }
    }

    /// Finds the next comma, once for all starts before it.
    private struct Commas {
        /// How far the text was searched.
        private(set) var place = 0
        /// The last place where `;base64` was found.
        private var mark = -1

        /// False if there is no comma in the range.
        mutating func seek(in text: Span<UInt8>, _ range: Range<Int>) -> Bool {
            place = max(place, range.lowerBound)
            let end = min(range.upperBound, text.count)
            while place < end, text[place] != UInt8(ascii: ",") {
                if begins(text, at: place, with: ";base64") { mark = place }
                place += 1
            }
            return place < end
        }

        func tellsBase64(from start: Int) -> Bool { mark >= start }
    }

    /// The content of the next data URL, and where it ends.
    private static func nextPicture(
        in drawing: Span<UInt8>, from start: Int, _ commas: inout Commas
    ) -> ([UInt8], end: Int)? {
        var place = start
        while place < drawing.count {
            defer { place += 1 }
            guard begins(drawing, at: place, with: "data:") else { continue }
            // A media type is short (RFC 6838 §4.2).
            guard commas.seek(in: drawing, (place + 5)..<(place + 256)) else { continue }
            var letters = Letters(at: commas.place + 1)
            let isBase64 = commas.tellsBase64(from: place + 5)
            let content = isBase64 ? base64(drawing, &letters) : plain(drawing, &letters)
            return (content, letters.place)
        }
        return nil
    }

    private static func base64(_ text: Span<UInt8>, _ letters: inout Letters) -> [UInt8] {
        var content: [UInt8] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        while content.count < reach, let letter = letters.next(of: text) {
            if letter <= 0x20 { continue }
            // Padding ends the data.
            guard let value = value(ofBase64: letter) else { break }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            content.append(UInt8(truncatingIfNeeded: bits >> UInt32(truncatingIfNeeded: count)))
        }
        return content
    }

    /// The value of a base64 letter (RFC 4648 §4); nil for other characters.
    private static func value(ofBase64 letter: UInt8) -> UInt32? {
        let value = UInt32(truncatingIfNeeded: letter)
        return switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func plain(_ text: Span<UInt8>, _ letters: inout Letters) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < reach, let letter = letters.next(of: text) { content.append(letter) }
        return content
    }

    private static func begins(_ text: Span<UInt8>, at place: Int, with word: StaticString) -> Bool {
        guard text.count - place >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for (index, letter) in word.enumerated() where text[place + index].asciiLowercased != letter {
                return false
            }
            return true
        }
    }
}

/// The characters of an attribute's value, from a place in it to its end, with the escapes of XML and URLs
/// resolved.
private struct Letters {
    private(set) var place: Int

    init(at place: Int) { self.place = place }

    /// Nil at the quotation mark, and at characters that an attribute cannot contain.
    mutating func next(of text: Span<UInt8>) -> UInt8? {
        guard place < text.count else { return nil }
        let letter = text[place]
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"): return nil
        case UInt8(ascii: "&"): return reference(in: text)
        case UInt8(ascii: "%"): return escape(in: text) ?? plain(letter)
        default: return plain(letter)
        }
    }

    private mutating func plain(_ letter: UInt8) -> UInt8 {
        place += 1
        return letter
    }

    /// Percent escapes (RFC 3986 §2.1).
    private mutating func escape(in text: Span<UInt8>) -> UInt8? {
        guard place + 2 < text.count, let high = text[place + 1].hexDigitValue,
            let low = text[place + 2].hexDigitValue
        else { return nil }
        place += 3
        return high << 4 | low
    }

    /// A number between `&#` or `&#x` and `;` (XML 1.0 §4.1). Named references are refused, because a name
    /// may mean anything.
    private mutating func reference(in text: Span<UInt8>) -> UInt8? {
        guard place + 1 < text.count, text[place + 1] == UInt8(ascii: "#") else { return nil }
        var digits: [UInt8] = []
        var end = place + 2
        while end < min(place + 16, text.count), text[end] != UInt8(ascii: ";") {
            digits.append(text[end].asciiLowercased)
            end += 1
        }
        guard end < text.count, text[end] == UInt8(ascii: ";") else { return nil }
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        // Cannot trap: the initialiser returns nil for text that is no number of 8 bits.
        let number = UInt8(
            String(decoding: digits.dropFirst(isHexadecimal ? 1 : 0), as: UTF8.self),
            radix: isHexadecimal ? 16 : 10)
        if number != nil { place = end + 1 }
        return number
    }
}
