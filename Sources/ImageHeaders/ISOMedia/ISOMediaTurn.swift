// SPDX-License-Identifier: Apache-2.0
//
// A HEIF's picture is turned by its properties, one after the other (ISO/IEC 23008-12 §6.5.10, §6.5.12):
//
//     irot    quarter turns against the clock, in the lowest two bits
//     imir    the lowest bit: 0 puts the top down, 1 the left to the right
//
// Its alpha is an item of its own. libavif wrote none of them for it until 2025, and means it to be turned along, as browsers do.
// libheif turns each item by its own properties only, so that such an alpha stands as it was stored, or is missing where the
// picture lies on its side.

/// How a picture is turned whose alpha has no turn of its own.
package struct ISOMediaTurn: Sendable, Hashable {
    /// As EXIF has it, 2…8.
    package let orientation: Int
    /// Where the four letters stand that name the properties.
    package let places: [Int]

    /// Nil for a picture that is not turned, or cropped as well, or without alpha, or whose alpha is turned by properties.
    package static func ofColoursAlone(_ source: some HeaderSource) -> ISOMediaTurn? {
        var reader = HeaderReader(source)
        return try? ofColoursAlone(&reader)
    }

    private static func ofColoursAlone(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ISOMediaTurn? {
        let items = try ISOMediaItems(&reader)
        let properties = try items.properties(of: items.primary, &reader)
        let turns = properties.filter(isTurn)
        guard !turns.isEmpty, !properties.contains(where: { $0.type == "clap" }),
            let alpha = try alpha(items, &reader), !alpha.contains(where: isTurn)
        else { return nil }
        // First from left to right, and then by quarters with the clock.
        var (isMirrored, quarters) = (false, 0)
        var places: [Int] = []
        for box in turns {
            let start = box.content.lowerBound
            guard !box.content.isEmpty, try reader.has(box.type, at: start - 4) else { return nil }
            let value = try reader.byte(at: start)
            if box.type == "irot" {
                quarters += 4 - Int(value & 3)
            } else {
                isMirrored.toggle()
                quarters = 4 - quarters % 4 + (value & 1 == 0 ? 2 : 0)
            }
            places.append(start - 4)
        }
        let orientation = (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[quarters % 4]
        return orientation == 1 ? nil : ISOMediaTurn(orientation: orientation, places: places)
    }

    private static func isTurn(_ box: ISOMediaHeader.Box) -> Bool { box.type == "irot" || box.type == "imir" }

    /// The properties of the picture's alpha; nil without one.
    private static func alpha(
        _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box]? {
        for reference in try items.references(["auxl"], &reader)
        where reference.targets.contains(items.primary) {
            let properties = try items.properties(of: reference.source, &reader)
            if try ISOMediaHeader.describesAlpha(properties, &reader) { return properties }
        }
        return nil
    }
}
