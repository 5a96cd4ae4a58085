// SPDX-License-Identifier: Apache-2.0
//
// Beside the primary item and the properties (`ISOMediaHeader`), `meta` has
//
//     iref    dimg: from an item to those that it is put together from (ISO/IEC 23008-12 §6.6.2)
//     iloc    where an item's bytes are (ISO/IEC 14496-12 §8.11.3)

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
        guard let iref = try ISOMediaHeader.child("iref", in: meta, &reader), iref.count >= 4 else {
            return nil
        }
        let size = try reader.byte(at: iref.lowerBound) == 0 ? 2 : 4
        let references = (iref.lowerBound + 4)..<iref.upperBound
        for box in try ISOMediaHeader.boxes(in: references, &reader) where box.type == "dimg" {
            let start = box.content.lowerBound
            if try reader.number(at: start, size: size, bigEndian: true) == item {
                return try reader.number(at: start + size + 2, size: size, bigEndian: true)
            }
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
            // Where the item's offsets count from: 0 is the file.
            let method = version == 0 ? 0 : try reader.big16(at: offset + idSize) & 15
            offset += idSize + (version == 0 ? 2 : 4)
            let base = try reader.number(at: offset, size: baseSize, bigEndian: true)
            let extents = try reader.big16(at: offset + baseSize)
            offset += baseSize + 2
            guard id == item else {
                offset += extents * (indexSize + offsetSize + lengthSize)
                continue
            }
            guard method == 0, extents > 0 else { return nil }
            let place = try reader.number(at: offset + indexSize, size: offsetSize, bigEndian: true)
            let length = try reader.number(
                at: offset + indexSize + offsetSize, size: lengthSize, bigEndian: true)
            let (first, isTooMuch) = base.addingReportingOverflow(place)
            guard !isTooMuch, first <= reader.length else { return nil }
            return first..<(first + min(length, reader.length - first))
        }
        return nil
    }
}
