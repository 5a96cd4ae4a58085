// SPDX-License-Identifier: Apache-2.0
// `ispe` tells the size of an item, but decoders use other numbers: the sequence header's (AV1, HEVC); a grid's (ISO/IEC
// 23008-12 §6.6.2.3.2): version, flags (1: sides of 32 bits), rows, columns, width, height; or an overlay's (§6.6.2.2.2):
// version, flags (likewise), 8 bytes of a colour, width, height.

/// The frames that libheif makes a decoder decode for a HEIF.
struct ISOMediaFrames {
    /// The deepest nesting of derived items. A picture that is cut out of an overlay of grids has three levels.
    static let deepest = 8

    /// The most crops, turns and mirrorings of an item; a real picture has one of each at most. libheif makes a picture for each.
    static let mostTurns = 8

    private let items: ISOMediaItems
    private let table: ISOMediaTable
    /// True once items were deeper within one another, or turned more often, than those of any real picture.
    private var isExcessive = false
    /// The picture and its thumbnails.
    private var roots: [Int] = []
    /// Items that have been examined.
    private var seen: Set<Int> = []
    /// The content of configuration boxes, by their offsets. The tiles of a grid share one.
    private var codings: [Int: CodedContent] = [:]
    /// What the picture and its thumbnails take to decode.
    private var work = ISOMediaWork()
    /// The most pixels of a frame: of the picture, its tiles, its alpha plane or its thumbnail; or of all frames of an item with
    /// more frames than layers; or half of the pixels of all parts that are decoded (`ISOMediaWork`). Sizes that are missing, and
    /// those of other codings, do not count.
    private(set) var largest = 0
    /// The formats of the codings of these frames.
    private(set) var formats: Set<ImageFormat> = []
    /// True if pixels of the picture have a coding that is not measured here and that some libheif may
    /// decode.
    private(set) var isForeign = false
    /// True if a thumbnail has such a coding. It may be shown in place of the picture, but need not be.
    private(set) var hasForeignThumbnail = false

    private init(_ items: ISOMediaItems, _ table: ISOMediaTable) {
        (self.items, self.table) = (items, table)
    }

    /// - Throws: if items are derived from more items, or deeper, or turned more often than in any real picture.
    static func read(
        _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ISOMediaFrames {
        var frames = ISOMediaFrames(items, try ISOMediaTable(items, &reader))
        try frames.look(&reader)
        guard !frames.isExcessive else { throw .damaged }
        for root in frames.roots {
            // Tiles may be twice as large as their grid, and an overlay may have two layers, at no cost.
            let half = try frames.work.pixels(for: root) / 2
            frames.note(pixels: half)
        }
        return frames
    }

    private mutating func look(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        look(atRoot: items.primary, &reader)
        let references = try items.references(["auxl", "thmb"], &reader)
        // A thumbnail in such a coding does not make the picture undecodable.
        let wasForeign = isForeign
        for reference in references
        where reference.type == "thmb" && reference.targets.contains(items.primary) {
            look(atRoot: reference.source, &reader)
        }
        (hasForeignThumbnail, isForeign) = (isForeign, wasForeign)
        try lookAtAlpha(among: references.filter { $0.type == "auxl" }, &reader)
    }

    private mutating func look(atRoot item: Int, _ reader: inout HeaderReader) {
        roots.append(item)
        look(at: item, depth: 0, &reader)
    }

    /// Examines alpha planes. Every decoded item may have one: a tile of the picture, and its thumbnail too.
    private mutating func lookAtAlpha(
        among references: [ISOMediaItems.Reference], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        var alphas: [ISOMediaItems.Reference] = []
        for reference in references {
            // Gain maps and depth maps are not decoded, and neither are unreadable items.
            let properties = (try? table.properties(of: reference.source, &reader)) ?? []
            if try ISOMediaHeader.describesAlpha(properties, &reader) { alphas.append(reference) }
        }
        for alpha in alphas {
            for target in alpha.targets { work.add(alpha: alpha.source, of: target) }
        }
        for _ in 0...Self.deepest {
            let decoded = seen
            alphas.removeAll { decoded.contains($0.source) }
            let next = alphas.filter { alpha in alpha.targets.contains { decoded.contains($0) } }
            if next.isEmpty { return }
            for alpha in next { look(at: alpha.source, depth: 0, &reader) }
        }
        isExcessive = true
    }

    /// Examines an item; an unreadable one has no frame.
    private mutating func look(at item: Int, depth: Int, _ reader: inout HeaderReader) {
        guard depth <= Self.deepest else {
            isExcessive = true
            return
        }
        do throws(ImageHeaderError) { try measure(item, depth, &reader) } catch {}
    }

    private mutating func measure(
        _ item: Int, _ depth: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        guard seen.insert(item).inserted else { return }
        let properties = try table.properties(of: item, &reader)
        for box in properties where box.type == "ispe" {
            let start = box.content.lowerBound
            note(
                PixelSize(width: try reader.big32(at: start + 4), height: try reader.big32(at: start + 8)),
                of: item)
        }
        if properties.count(where: ISOMediaTurn.isTurn) > Self.mostTurns { isExcessive = true }
        // libheif uses the item's type, whatever its properties are, so properties of any coding are examined, and the
        // item's parts too.
        let told = properties.filter(ISOMediaCoding.isMeant)
        let kind = try? table.kind(of: item, &reader)
        noteFormat(kind, told)
        for coding in told { try? measure(coding, of: item, &reader) }
        if let kind { try? measureCanvas(of: item, kind, &reader) }
        work.add(table.parts(of: item), of: item)
        for part in table.parts(of: item) { look(at: part, depth: depth + 1, &reader) }
    }

    private mutating func measure(
        _ coding: ISOMediaHeader.Box, of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        let told = configured(by: coding, &reader)
        note(pixels: told.pixels, of: item)
        let isAV1 = coding.type == "av1C"
        let read = try table.reading(item, &reader) {
            (reader, bytes) throws(ImageHeaderError) -> CodedContent? in
            var content = told
            if isAV1 { content.readAV1(&reader, in: bytes) } else { content.readHEVC(&reader, in: bytes) }
            return content
        }
        if let read { note(pixels: read.pixels, of: item) }
    }

    /// The content of a configuration box.
    private mutating func configured(
        by coding: ISOMediaHeader.Box, _ reader: inout HeaderReader
    ) -> CodedContent {
        let place = coding.content.lowerBound
        if let known = codings[place] { return known }
        var content = CodedContent()
        if coding.type == "av1C" {
            content.readAV1(&reader, in: AV1Units.inside(coding))
        } else if let size = try? HEVCSequenceHeader.size(&reader, in: coding) {
            content.take(size)
        }
        codings[place] = content
        return content
    }

    /// Measures the canvas of a grid or an overlay.
    private mutating func measureCanvas(
        of item: Int, _ kind: String, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        guard let head = ["grid": 4, "iovl": 10][kind] else { return }
        note(
            try table.reading(item, &reader) { (reader, bytes) throws(ImageHeaderError) -> PixelSize? in
                let start = bytes.lowerBound
                let size = try reader.byte(at: start + 1) & 1 == 0 ? 2 : 4
                return PixelSize(
                    width: try reader.number(at: start + head, size: size, bigEndian: true),
                    height: try reader.number(at: start + head + size, size: size, bigEndian: true))
            }, of: item)
    }

    /// - Parameter kind: the item's type; nil if it has none, in which case its properties tell.
    private mutating func noteFormat(_ kind: String?, _ told: [ISOMediaHeader.Box]) {
        switch kind {
        case "av01": formats.insert(.avif)
        case "hvc1": formats.insert(.heic)
        case nil: for coding in told { formats.insert(coding.type == "av1C" ? .avif : .heic) }
        // Derived items.
        case "grid", "iovl", "iden": break
        // JPEG by its own type or by a MIME type, JPEG 2000, AVC, VVC, uncompressed samples (ISO/IEC 23008-12, 23001-17), and future
        // codings.
        default: isForeign = true
        }
    }

    private mutating func note(_ size: PixelSize?, of item: Int) {
        if let size { note(pixels: size.area, of: item) }
    }

    private mutating func note(pixels: Int, of item: Int) {
        work.add(pixels: pixels, of: item)
        note(pixels: pixels)
    }

    private mutating func note(pixels: Int) { largest = max(largest, pixels) }
}
