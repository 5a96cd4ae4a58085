// SPDX-License-Identifier: Apache-2.0
//
// A HEIF's picture is cropped and turned by its properties, one after the other (ISO/IEC 23008-12 §6.5.9, §6.5.10, §6.5.12):
//
//     clap    width, height, and how far right and how far down of the picture's middle the middle of these is, each as two numbers
//             of 32 bits, of which the second divides (ISO/IEC 14496-12 §12.1.4)
//     irot    quarter turns against the clock, in the lowest two bits
//     imir    the lowest bit: 0 puts the top down, 1 the left to the right
//
// Its alpha is an item of its own, and so is each part of a grid. libheif turns each by its own properties only, and does not
// always make what is meant and what browsers show:
//
//     libavif wrote none of them for alpha until 2025: such an alpha stands as it was stored, or is missing where the picture lies on
//     its side or is smaller;
//     libavif before 1.0, as in Debian 12, gives the parts of a grid the grid's own properties: parts are turned, and the grid again;
//     libheif before 1.16 cannot mirror samples of more than 8 bits, and makes nothing of the file.

/// How a picture is cropped and turned where libheif cannot be left to do it.
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

    /// Nil for a picture that is shown as it is stored, or cropped when it is turned already, or by parts of pixels; and for one that
    /// libheif crops and turns as it is meant.
    package static func leftToUs(_ source: some HeaderSource) -> ISOMediaTurn? {
        source.reading(leftToUs) ?? nil
    }

    private static func leftToUs(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ISOMediaTurn? {
        let items = try ISOMediaItems(&reader)
        let properties = try items.properties(of: items.primary, &reader)
        let turns = properties.filter(isTurn)
        guard !turns.isEmpty else { return nil }
        // Lists that cannot be read to their end count as none. Alpha is looked at all the same.
        let turnsOfParts = (try? turnsOfParts(beside: turns, items, &reader)) ?? []
        let isMisread = turnsOfParts.isEmpty ? try isDeepMirror(turns, items, &reader) : true
        guard let turnsOfAlpha = try turnsOfAlpha(beside: turns, items, &reader, isMisread: isMisread)
        else { return nil }
        // First from left to right, and then by quarters with the clock.
        var (isMirrored, quarters) = (false, 0)
        var (crop, places): (Crop?, [Int]) = (nil, [])
        for box in turns {
            let start = box.content.lowerBound
            guard try isPlain(box, &reader) else { return nil }
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
        for box in turnsOfAlpha + turnsOfParts where !places.contains(box.content.lowerBound - 4) {
            guard try isPlain(box, &reader) else { return nil }
            places.append(box.content.lowerBound - 4)
        }
        return ISOMediaTurn(crop: crop, orientation: orientation, places: places)
    }

    private static func isTurn(_ box: ISOMediaHeader.Box) -> Bool {
        ["clap", "irot", "imir"].contains(box.type)
    }

    /// It has a byte to amend, right behind the letters of its type.
    private static func isPlain(
        _ box: ISOMediaHeader.Box, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        !box.content.isEmpty ? try reader.has(box.type, at: box.content.lowerBound - 4) : false
    }

    /// Alpha's own turns, none without alpha; nil where libheif makes of the file what is meant, or where alpha's turns are others than
    /// the picture's.
    /// - Parameter isMisread: libheif makes something else of the picture, whatever its alpha has.
    private static func turnsOfAlpha(
        beside turns: [ISOMediaHeader.Box], _ items: ISOMediaItems, _ reader: inout HeaderReader,
        isMisread: Bool
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box]? {
        let ofAlpha = try alpha(items, &reader)?.filter(isTurn)
        if let ofAlpha, ofAlpha.isEmpty { return [] }
        guard isMisread else { return nil }
        guard let ofAlpha else { return [] }
        guard ofAlpha.count == turns.count else { return nil }
        for (own, other) in zip(ofAlpha, turns) {
            guard try areAlike(own, other, &reader) else { return nil }
        }
        return ofAlpha
    }

    /// Turns that any part of a grid has, and the grid has too. libavif gives all of them the same box; a box of the part's own that
    /// says the same is taken for a copy of it.
    private static func turnsOfParts(
        beside turns: [ISOMediaHeader.Box], _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        guard try items.ofType("grid", &reader).contains(items.primary) else { return [] }
        let table = try ISOMediaTable(items, &reader)
        var (found, seen): ([ISOMediaHeader.Box], Set<Int>) = ([], [])
        for part in table.parts(of: items.primary) {
            for box in try table.properties(of: part, &reader).filter(isTurn) {
                guard seen.insert(box.content.lowerBound).inserted else { continue }
                for turn in turns where try areAlike(box, turn, &reader) {
                    found.append(box)
                    break
                }
            }
        }
        return found
    }

    private static func areAlike(
        _ one: ISOMediaHeader.Box, _ other: ISOMediaHeader.Box, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        // Of clap, the longest. The others have a byte.
        let length = min(one.content.count, 32)
        guard one.type == other.type, length == min(other.content.count, 32) else { return false }
        return try reader.bytes(at: one.content.lowerBound, count: length)
            == reader.bytes(at: other.content.lowerBound, count: length)
    }

    private static func isDeepMirror(
        _ turns: [ISOMediaHeader.Box], _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        guard turns.contains(where: { $0.type == "imir" }),
            let coding = try items.codedPicture(&reader).properties.first(where: ISOMediaCoding.isMeant)
        else { return false }
        return try ISOMediaCoding.depth(coding, &reader) > 8
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
