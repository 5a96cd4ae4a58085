// SPDX-License-Identifier: Apache-2.0
//
// Beside the primary item and the properties (`ISOMediaHeader`), `meta` has
//
//     iref    dimg: from a derived item to its parts (ISO/IEC 23008-12 §6.6.2); auxl: from an auxiliary
//             picture to its master; thmb: from a thumbnail to its picture
//     iinf    infe: the type of an item (ISO/IEC 14496-12 §8.11.6)
//     iloc    the location of an item's bytes (ISO/IEC 14496-12 §8.11.3): in the file, or in idat

/// The items of a HEIF, read as far as needed.
struct ISOMediaItems {
    let primary: Int
    let meta: Range<Int>
    let iprp: Range<Int>
    /// The properties of all items.
    let boxes: [ISOMediaHeader.Box]

    init(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        guard let meta = try ISOMediaHeader.child("meta", in: 0..<reader.length, &reader), meta.count >= 4
        else { throw .damaged }
        // libheif takes the last of several `meta` boxes, and may take the short form, `mini`.
        let other = try? ISOMediaHeader.child("meta", in: meta.upperBound..<reader.length, &reader)
        let short = try? ISOMediaHeader.child("mini", in: 0..<reader.length, &reader)
        guard other == nil, short == nil else { throw .damaged }
        self.meta = (meta.lowerBound + 4)..<meta.upperBound
        guard let pitm = try ISOMediaHeader.child("pitm", in: self.meta, &reader),
            let iprp = try ISOMediaHeader.child("iprp", in: self.meta, &reader),
            let ipco = try ISOMediaHeader.child("ipco", in: iprp, &reader)
        else { throw .damaged }
        self.iprp = iprp
        let isLong = try reader.byte(at: pitm.lowerBound) > 0
        primary = try reader.number(at: pitm.lowerBound + 4, size: isLong ? 4 : 2, bigEndian: true)
        boxes = try ISOMediaHeader.boxes(in: ipco, &reader)
    }

    /// The item's properties in the order in which they are applied.
    func properties(
        of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        properties(at: try ItemProperties.indices(of: item, in: iprp, &reader))
    }

    /// - Parameter indices: counted from 1.
    func properties(at indices: [Int]) -> [ISOMediaHeader.Box] {
        indices.filter { $0 <= boxes.count }.map { boxes[$0 - 1] }
    }

    /// The item whose coding is the picture's: the primary item, or the first part that it is derived from; with the properties
    /// of both.
    func codedPicture(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> (item: Int, properties: [ISOMediaHeader.Box]) {
        let properties = try properties(of: primary, &reader)
        if properties.contains(where: ISOMediaCoding.isMeant) { return (primary, properties) }
        for reference in try references(["dimg"], &reader) where reference.source == primary {
            guard let tile = reference.targets.first else { break }
            return (tile, properties + (try self.properties(of: tile, &reader)))
        }
        return (primary, properties)
    }

    struct Reference {
        var type: String
        var source: Int
        var targets: [Int]
    }

    /// The most targets of all references of the requested types. A grid has at most 256 × 256 parts (ISO/IEC 23008-12
    /// §6.6.2.3).
    private static let mostTargets = 1 << 16

    /// The references of these types in the order of the file. libheif finds the next reference by the number of targets and not by
    /// the size of the box, so both have to agree.
    func references(
        _ types: Set<String>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Reference] {
        guard let iref = try ISOMediaHeader.child("iref", in: meta, &reader), iref.count >= 4 else {
            return []
        }
        let size = try reader.byte(at: iref.lowerBound) == 0 ? 2 : 4
        var (found, count): ([Reference], Int) = ([], 0)
        let boxes = (iref.lowerBound + 4)..<iref.upperBound
        for box in try ISOMediaHeader.boxes(in: boxes, &reader) {
            let start = box.content.lowerBound
            let told = try reader.big16(at: start + size)
            // A uuid belongs to its box's header.
            guard box.content.count == size + 2 + told * size, box.type != "uuid" else { throw .damaged }
            guard types.contains(box.type) else { continue }
            let source = try reader.number(at: start, size: size, bigEndian: true)
            count += told
            guard count <= Self.mostTargets else { throw .damaged }
            var targets: [Int] = []
            for index in 0..<told {
                targets.append(
                    try reader.number(at: start + size + 2 + index * size, size: size, bigEndian: true))
            }
            found.append(Reference(type: box.type, source: source, targets: targets))
        }
        return found
    }

    /// Visits every item that has a type, with the offset of the type's four letters.
    func walkTypes(
        _ reader: inout HeaderReader, _ visit: (_ item: Int, _ place: Int) -> Void
    ) throws(ImageHeaderError) {
        guard let iinf = try ISOMediaHeader.child("iinf", in: meta, &reader), iinf.count >= 8 else { return }
        let list = (iinf.lowerBound + (try reader.byte(at: iinf.lowerBound) == 0 ? 6 : 8))..<iinf.upperBound
        for box in try ISOMediaHeader.boxes(in: list, &reader) where box.type == "infe" {
            let start = box.content.lowerBound
            let version = try reader.byte(at: start)
            guard version >= 2 else { continue }
            let size = version == 2 ? 2 : 4
            visit(try reader.number(at: start + 4, size: size, bigEndian: true), start + 6 + size)
        }
    }

    /// The items of this type, which has four letters.
    func ofType(_ type: String, _ reader: inout HeaderReader) throws(ImageHeaderError) -> [Int] {
        var places: [(item: Int, letters: Int)] = []
        try walkTypes(&reader) { item, place in places.append((item, place)) }
        var found: [Int] = []
        for place in places where try reader.has(type, at: place.letters) { found.append(place.item) }
        return found
    }

    /// The range of the item's first part; nil if its bytes are not in the file.
    func bytes(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Range<Int>? {
        guard let locations = try ItemLocations(in: meta, &reader) else { return nil }
        var found: Int?
        try locations.walk(&reader) { id, place, _ in
            if id == item { found = place }
            return found == nil
        }
        guard let found else { return nil }
        return try locations.parts(at: found, &reader).first
    }
}
