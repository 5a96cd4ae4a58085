// SPDX-License-Identifier: Apache-2.0
//
// Beside the primary item and the properties (`ISOMediaHeader`), `meta` has
//
//     iref    dimg: from an item to those that it is put together from (ISO/IEC 23008-12 §6.6.2); auxl: from an auxiliary
//             picture to its master; thmb: from a thumbnail to its picture
//     iinf    infe: the type of an item (ISO/IEC 14496-12 §8.11.6)
//     iloc    where an item's bytes are (ISO/IEC 14496-12 §8.11.3): in the file, or in idat

/// The items of a HEIF, as far as is asked for.
struct ISOMediaItems {
    let primary: Int
    let meta: Range<Int>
    private let iprp: Range<Int>
    /// The properties of all items.
    let boxes: [ISOMediaHeader.Box]

    init(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        guard let meta = try ISOMediaHeader.child("meta", in: 0..<reader.length, &reader), meta.count >= 4
        else { throw .damaged }
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

    /// In the order in which they are applied.
    func properties(
        of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        try ItemProperties.indices(of: item, in: iprp, &reader).filter { $0 <= boxes.count }
            .map { boxes[$0 - 1] }
    }

    /// The first of the items that this one is put together from; nil if it stands for itself.
    func firstPart(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Int? {
        for reference in try references(["dimg"], &reader) where reference.source == item {
            return reference.targets.first
        }
        return nil
    }

    struct Reference {
        var type: String
        var source: Int
        var targets: [Int]
    }

    /// The references of these types, as they stand there.
    func references(
        _ types: Set<String>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Reference] {
        guard let iref = try ISOMediaHeader.child("iref", in: meta, &reader), iref.count >= 4 else {
            return []
        }
        let size = try reader.byte(at: iref.lowerBound) == 0 ? 2 : 4
        var found: [Reference] = []
        let boxes = (iref.lowerBound + 4)..<iref.upperBound
        for box in try ISOMediaHeader.boxes(in: boxes, &reader) where types.contains(box.type) {
            let start = box.content.lowerBound
            let source = try reader.number(at: start, size: size, bigEndian: true)
            // Cannot trap: 2 or 4.
            let most = max(0, (box.content.count - size - 2) / size)
            var targets: [Int] = []
            for index in 0..<min(most, try reader.big16(at: start + size)) {
                targets.append(
                    try reader.number(at: start + size + 2 + index * size, size: size, bigEndian: true))
            }
            found.append(Reference(type: box.type, source: source, targets: targets))
        }
        return found
    }

    /// Four letters; nil if it is not told.
    func type(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> String? {
        guard let iinf = try ISOMediaHeader.child("iinf", in: meta, &reader), iinf.count >= 8 else {
            return nil
        }
        let list = (iinf.lowerBound + (try reader.byte(at: iinf.lowerBound) == 0 ? 6 : 8))..<iinf.upperBound
        for box in try ISOMediaHeader.boxes(in: list, &reader) where box.type == "infe" {
            let start = box.content.lowerBound
            let version = try reader.byte(at: start)
            guard version >= 2 else { continue }
            let size = version == 2 ? 2 : 4
            guard try reader.number(at: start + 4, size: size, bigEndian: true) == item else { continue }
            return String(decoding: try reader.bytes(at: start + 6 + size, count: 4), as: UTF8.self)
        }
        return nil
    }

    /// Where the item's first bytes are (ISO/IEC 14496-12 §8.11.3); nil if they are in no place of the file.
    func bytes(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Range<Int>? {
        guard let iloc = try ISOMediaHeader.child("iloc", in: meta, &reader) else { return nil }
        let start = iloc.lowerBound
        let version = try reader.byte(at: start)
        let sizes = try reader.big16(at: start + 4)
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        guard version < 3, [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ $0 <= 8 }) else {
            return nil
        }
        let idSize = version < 2 ? 2 : 4
        var offset = start + 6 + idSize
        for _ in 0..<(try reader.number(at: start + 6, size: idSize, bigEndian: true)) {
            guard offset < iloc.upperBound else { throw .damaged }
            let id = try reader.number(at: offset, size: idSize, bigEndian: true)
            // Where the item's offsets count from: 0 is the file, 1 the content of idat.
            let method = version == 0 ? 0 : try reader.big16(at: offset + idSize) & 15
            offset += idSize + (version == 0 ? 2 : 4)
            let base = try reader.number(at: offset, size: baseSize, bigEndian: true)
            let extents = try reader.big16(at: offset + baseSize)
            offset += baseSize + 2
            guard id == item else {
                offset += extents * (indexSize + offsetSize + lengthSize)
                continue
            }
            guard method < 2, extents > 0,
                let home = method == 0
                    ? 0..<reader.length : try ISOMediaHeader.child("idat", in: meta, &reader)
            else { return nil }
            let place = try reader.number(at: offset + indexSize, size: offsetSize, bigEndian: true)
            let length = try reader.number(
                at: offset + indexSize + offsetSize, size: lengthSize, bigEndian: true)
            let (first, isTooMuch) = base.addingReportingOverflow(place)
            guard !isTooMuch, first <= home.count else { return nil }
            let begin = home.lowerBound + first
            // Without a length it reaches to the end.
            let rest = home.upperBound - begin
            return begin..<(begin + (length == 0 ? rest : min(length, rest)))
        }
        return nil
    }
}
