// SPDX-License-Identifier: Apache-2.0
//
// A HEIF's picture is cropped and turned by its properties, one after the other (ISO/IEC 23008-12 §6.5.9, §6.5.10, §6.5.12):
//
//     clap    width, height, and how far right and how far down of the picture's middle the middle of these is, each as two numbers
//             of 32 bits, of which the second divides (ISO/IEC 14496-12 §12.1.4)
//     irot    quarter turns against the clock, in the lowest two bits
//     imir    the lowest bit: 0 puts the top down, 1 the left to the right
//
// Its alpha is an item of its own. libavif wrote none of them for it until 2025, and means it to be turned along, as browsers do.
// libheif turns each item by its own properties only, so that such an alpha stands as it was stored, or is missing where the
// picture lies on its side or is smaller.

/// How a picture is cropped and turned whose alpha is neither by its own properties.
package struct ISOMediaTurn: Sendable, Hashable {
    /// Whole pixels of the picture as it is stored.
    package struct Crop: Sendable, Hashable {
        package let x: Int
        package let y: Int
        package let size: PixelSize
    }

    /// What is left of it before it is turned; nil for all.
    package let crop: Crop?
    /// As EXIF has it, 1…8.
    package let orientation: Int
    /// Where the four letters stand that name the properties.
    package let places: [Int]

    /// Nil for a picture that is shown as it is stored, or cropped when it is turned already, or by parts of pixels; and for one without
    /// alpha, or whose alpha has such properties.
    package static func ofColoursAlone(_ source: some HeaderSource) -> ISOMediaTurn? {
        source.reading(ofColoursAlone) ?? nil
    }

    private static func ofColoursAlone(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ISOMediaTurn? {
        let items = try ISOMediaItems(&reader)
        let properties = try items.properties(of: items.primary, &reader)
        let turns = properties.filter(isTurn)
        guard !turns.isEmpty, let alpha = try alpha(items, &reader), !alpha.contains(where: isTurn)
        else { return nil }
        // First from left to right, and then by quarters with the clock.
        var (isMirrored, quarters) = (false, 0)
        var (crop, places): (Crop?, [Int]) = (nil, [])
        for box in turns {
            let start = box.content.lowerBound
            guard !box.content.isEmpty, try reader.has(box.type, at: start - 4) else { return nil }
            let value = try reader.byte(at: start)
            switch box.type {
            case "irot": quarters += 4 - Int(value & 3)
            case "imir":
                isMirrored.toggle()
                quarters = 4 - quarters % 4 + (value & 1 == 0 ? 2 : 0)
            default:
                guard places.isEmpty, let found = try Self.crop(box, properties, &reader) else { return nil }
                crop = found
            }
            places.append(start - 4)
        }
        let orientation = (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[quarters % 4]
        guard crop != nil || orientation != 1 else { return nil }
        return ISOMediaTurn(crop: crop, orientation: orientation, places: places)
    }

    private static func isTurn(_ box: ISOMediaHeader.Box) -> Bool {
        ["clap", "irot", "imir"].contains(box.type)
    }

    /// Nil for one that is not within the picture, or cuts through pixels.
    private static func crop(
        _ box: ISOMediaHeader.Box, _ properties: [ISOMediaHeader.Box], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Crop? {
        guard box.content.count >= 32, let size = properties.first(where: { $0.type == "ispe" }) else {
            return nil
        }
        let (start, whole) = (box.content.lowerBound, size.content.lowerBound)
        guard let across = try part(of: reader.big32(at: whole + 4), at: start, &reader),
            let down = try part(of: reader.big32(at: whole + 8), at: start + 8, &reader)
        else { return nil }
        return Crop(
            x: across.lowerBound, y: down.lowerBound,
            size: PixelSize(width: across.count, height: down.count))
    }

    /// - Parameters:
    ///   - side: of the picture.
    ///   - offset: where the length is; 16 bytes behind it is how far its middle is from the side's.
    private static func part(
        of side: Int, at offset: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Range<Int>? {
        let (length, parts) = (try reader.big32(at: offset), try reader.big32(at: offset + 4))
        let distance = Int(Int32(truncatingIfNeeded: try reader.big32(at: offset + 16)))
        let distanceParts = try reader.big32(at: offset + 20)
        // The products below have some 50 bits.
        guard parts == 1, side <= 1 << 20, length > 0, length <= side, (1...65_536).contains(distanceParts)
        else { return nil }
        let before = 2 * distance + (side - length) * distanceParts
        let start = before / (2 * distanceParts)
        guard before % (2 * distanceParts) == 0, start >= 0, start <= side - length else { return nil }
        return start..<start + length
    }

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
