// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc

/// Shadows of drawings, for a librsvg before 2.56, as in Debian 12, which knows no `feDropShadow`: a filter of nothing else makes nothing,
/// and what it is for would be missing.
enum DropShadow {
    /// A filter whose name has as many letters, and which without a radius hands its input on.
    private static let substitute = "feMorphology"
    private static let name = Array("feDropShadow".utf8)

    /// Where elements of that name begin and end; none where librsvg knows them.
    static func unknown(in drawing: UnsafeRawBufferPointer) -> [Int] {
        cvips_draws_shadows() ? [] : places(in: drawing)
    }

    static func places(in drawing: UnsafeRawBufferPointer) -> [Int] {
        guard let base = drawing.baseAddress else { return [] }
        var (places, start): ([Int], Int) = ([], 0)
        // Hardly anything else in a drawing has this letter.
        while let found = memchr(base + start, Int32(UInt8(ascii: "D")), drawing.count - start) {
            let place = base.distance(to: UnsafeRawPointer(found)) - 2
            start = place + 3
            // Behind the sign that begins a tag, or a prefix. Elsewhere it is text.
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
