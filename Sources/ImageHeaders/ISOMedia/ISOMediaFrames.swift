// SPDX-License-Identifier: Apache-2.0
//
// `ispe` says how large an item is, and its decoder goes by other numbers: those of the sequence header (AV1, HEVC), those of a
// grid (ISO/IEC 23008-12 §6.6.2.3.2): version, flags (1: sides of 32 bits), rows, columns, width, height; and those of an
// overlay (§6.6.2.2.2): version, flags (likewise), 8 bytes of a colour, width, height.

/// The frames that libheif has a decoder make for a HEIF.
struct ISOMediaFrames {
    /// Items put together from others that are so themselves: a picture that is cut out of an overlay of grids has three.
    static let deepest = 8

    private let items: ISOMediaItems
    private let table: ISOMediaTable
    private var isTooDeep = false
    /// Items that have been looked at.
    private var seen: Set<Int> = []
    /// What configurations hold, by their place. The tiles of a grid share one.
    private var codings: [Int: CodedContent] = [:]
    /// Pixels of the largest frame: of the picture, its tiles, its alpha plane or its thumbnail; and of all frames of an item that
    /// has more than layers. What is not told, or is of another coding, does not count.
    private(set) var largest = 0
    /// The formats whose codings these have.
    private(set) var formats: Set<ImageFormat> = []
    /// Pixels of the picture are in a coding that nobody measures here, and some libheif may read.
    private(set) var isForeign = false
    /// A thumbnail is in such a coding. It may be shown in place of the picture, but need not be.
    private(set) var hasForeignThumbnail = false

    private init(_ items: ISOMediaItems, _ table: ISOMediaTable) {
        (self.items, self.table) = (items, table)
    }

    /// - Throws: if items are put together from more, or deeper, than any picture's are.
    static func read(
        _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ISOMediaFrames {
        var frames = ISOMediaFrames(items, try ISOMediaTable(items, &reader))
        try frames.look(&reader)
        guard !frames.isTooDeep else { throw .damaged }
        return frames
    }

    private mutating func look(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        look(at: items.primary, depth: 0, &reader)
        let references = try items.references(["auxl", "thmb"], &reader)
        // A camera's small copy for its display does not close the picture.
        let wasForeign = isForeign
        for reference in references
        where reference.type == "thmb" && reference.targets.contains(items.primary) {
            look(at: reference.source, depth: 0, &reader)
        }
        (hasForeignThumbnail, isForeign) = (isForeign, wasForeign)
        try lookAtAlpha(among: references.filter { $0.type == "auxl" }, &reader)
    }

    /// Whatever is decoded may have an alpha plane: each tile of a picture, and its thumbnail too.
    private mutating func lookAtAlpha(
        among references: [ISOMediaItems.Reference], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        var alphas: [ISOMediaItems.Reference] = []
        for reference in references {
            // A gain map or a depth map is not decoded; nor is an item that cannot be read.
            let properties = (try? table.properties(of: reference.source, &reader)) ?? []
            if try ISOMediaHeader.describesAlpha(properties, &reader) { alphas.append(reference) }
        }
        for _ in 0...Self.deepest {
            let decoded = seen
            alphas.removeAll { decoded.contains($0.source) }
            let next = alphas.filter { alpha in alpha.targets.contains { decoded.contains($0) } }
            if next.isEmpty { return }
            for alpha in next { look(at: alpha.source, depth: 0, &reader) }
        }
        isTooDeep = true
    }

    /// An item that cannot be read has no frame.
    private mutating func look(at item: Int, depth: Int, _ reader: inout HeaderReader) {
        guard depth <= Self.deepest else {
            isTooDeep = true
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
                PixelSize(width: try reader.big32(at: start + 4), height: try reader.big32(at: start + 8)))
        }
        // libheif goes by the item's type, whatever properties it has: those of any coding are looked at, and its parts too.
        let told = properties.filter(ISOMediaCoding.isMeant)
        let kind = try? table.kind(of: item, &reader)
        noteFormat(kind, told)
        for coding in told { try? measure(coding, of: item, &reader) }
        if let kind { try? measureCanvas(of: item, kind, &reader) }
        for part in table.parts(of: item) { look(at: part, depth: depth + 1, &reader) }
    }

    private mutating func measure(
        _ coding: ISOMediaHeader.Box, of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        let told = configured(by: coding, &reader)
        note(pixels: told.pixels)
        let isAV1 = coding.type == "av1C"
        let read = try table.reading(item, &reader) {
            (reader, bytes) throws(ImageHeaderError) -> CodedContent? in
            var content = told
            if isAV1 { content.readAV1(&reader, in: bytes) } else { content.readHEVC(&reader, in: bytes) }
            return content
        }
        if let read { note(pixels: read.pixels) }
    }

    /// What a configuration holds.
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

    /// Of an item that is put together from others.
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
            })
    }

    /// - Parameter kind: the item's; nil if it has none, and its properties tell.
    private mutating func noteFormat(_ kind: String?, _ told: [ISOMediaHeader.Box]) {
        switch kind {
        case "av01": formats.insert(.avif)
        case "hvc1": formats.insert(.heic)
        case nil: for coding in told { formats.insert(coding.type == "av1C" ? .avif : .heic) }
        // Put together from others.
        case "grid", "iovl", "iden": break
        // JPEG as such or as a MIME type, JPEG 2000, AVC, VVC, samples as they are (ISO/IEC 23008-12, 23001-17), and what is to come.
        default: isForeign = true
        }
    }

    private mutating func note(_ size: PixelSize?) {
        if let size { note(pixels: size.area) }
    }

    private mutating func note(pixels: Int) { largest = max(largest, pixels) }
}
