// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc

/// Drop shadows of drawings under a librsvg before 2.56 (Debian 12 has one), which does not know `feDropShadow`. There a filter of
/// `feDropShadow` alone renders nothing, so the element that has the filter would be missing.
enum DropShadow {
    /// A filter whose name is equally long, and which passes its input on unchanged when it has no radius.
    private static let substitute = "feMorphology"
    private static let name = Array("feDropShadow".utf8)

    /// The offsets of `feDropShadow` in start and end tags; empty if librsvg knows the element.
    static func unknown(in drawing: UnsafeRawBufferPointer) -> [Int] {
        cvips_draws_shadows() ? [] : places(in: drawing)
    }

    static func places(in drawing: UnsafeRawBufferPointer) -> [Int] {
        guard let base = drawing.baseAddress else { return [] }
        var (places, start): ([Int], Int) = ([], 0)
        // Searches for the capital D, because hardly anything else in a drawing has this letter.
        while let found = memchr(base + start, Int32(UInt8(ascii: "D")), drawing.count - start) {
            let place = base.distance(to: UnsafeRawPointer(found)) - 2
            start = place + 3
            // A tag's name follows `<`, `/` or a prefix's colon. Elsewhere the word is text.
            if place > 0, "</:".utf8.contains(drawing[place - 1]), drawing[place...].starts(with: name) {
                places.append(place)
            }
        }
        return places
    }

    static func leaveOut(_ places: [Int], of drawing: UnsafeMutableRawBufferPointer) {
        for place in places where place >= 0 && place <= drawing.count - name.count {
            UnsafeMutableRawBufferPointer(rebasing: drawing[place..<place + name.count])
                .copyBytes(from: substitute.utf8)
        }
    }
}
