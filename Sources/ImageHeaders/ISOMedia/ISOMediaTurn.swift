// SPDX-License-Identifier: Apache-2.0
//
// A HEIF's picture is cropped and turned by its properties, one after the other (ISO/IEC 23008-12 §6.5.9, §6.5.10, §6.5.12):
//
//     clap    width, height, and how far the crop's centre is right of and below the picture's centre, each as two numbers
//             of 32 bits, numerator and denominator (ISO/IEC 14496-12 §12.1.4)
//     irot    quarter turns anticlockwise, in the lowest two bits
//     imir    the lowest bit: 0 exchanges top and bottom, 1 left and right
//
// Alpha is an item of its own, and so is each part of a grid. libheif turns each item by its own properties only, so its result
// sometimes differs from the intended one, which browsers show:
//
//     libavif wrote none of them for alpha until 2025: such an alpha stands as it was stored, or is missing where the picture lies on
//     its side or is smaller;
//     libavif before 1.0, as in Debian 12, gives the parts of a grid the grid's own properties: parts are turned, and the grid again;
//     libheif before 1.16 cannot mirror samples of more than 8 bits, and makes nothing of the file.

/// The crop and the turn of a HEIF's picture that libheif would not apply correctly.
package struct ISOMediaTurn: Sendable, Hashable {
    /// A crop in whole pixels of the stored picture.
    package struct Crop: Sendable, Hashable {
        package let x: Int
        package let y: Int
        package let size: PixelSize
    }

    /// The part that is kept before the turn; nil for the whole picture.
    package let crop: Crop?
    /// The EXIF orientation, 1…8.
    package let orientation: Int
    /// The offsets of the properties' types, four letters each.
    package let places: [Int]

    /// Nil if libheif crops and turns the picture correctly. Also nil if the picture is shown as it is stored, or is cropped after a
    /// turn, or by fractions of pixels.
    package static func leftToUs(_ source: some HeaderSource) -> ISOMediaTurn? {
        source.reading(leftToUs) ?? nil
    }

    private static func leftToUs(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ISOMediaTurn? {
        let items = try ISOMediaItems(&reader)
        let properties = try items.properties(of: items.primary, &reader)
        let turns = properties.filter(isTurn)
        guard !turns.isEmpty else { return nil }
        // Unreadable lists count as empty. Alpha is examined all the same.
        let turnsOfParts = (try? turnsOfParts(beside: turns, items, &reader)) ?? []
        let isMisread = turnsOfParts.isEmpty ? try isDeepMirror(turns, items, &reader) : true
        guard let turnsOfAlpha = try turnsOfAlpha(beside: turns, items, &reader, isMisread: isMisread)
        else { return nil }
        // The orientation as a mirroring of left and right, followed by clockwise quarter turns.
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

    static func isTurn(_ box: ISOMediaHeader.Box) -> Bool {
        ["clap", "irot", "imir"].contains(box.type)
    }

    /// True if the box has a byte to amend directly behind its type.
    private static func isPlain(
        _ box: ISOMediaHeader.Box, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        !box.content.isEmpty ? try reader.has(box.type, at: box.content.lowerBound - 4) : false
    }

    /// The turns of alpha, empty without alpha. Nil if libheif shows the file correctly, or if alpha's turns differ from the picture's.
    /// - Parameter isMisread: true if libheif shows the picture incorrectly, whatever its alpha has.
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

    /// The turns of a grid's parts that the grid has too. libavif gives all of them the same box; an equal box of a part's own is
    /// taken for a copy.
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
        // The length of clap, the longest property. The others have one byte.
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

    /// Nil for a crop that exceeds the picture, or cuts through pixels.
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
    ///   - side: the picture's side.
    ///   - offset: the offset of the crop's length; 16 bytes behind it is the distance between the middles of
    ///     crop and side.
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

    /// The properties of the picture's alpha; nil without alpha.
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
