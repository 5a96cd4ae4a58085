// SPDX-License-Identifier: Apache-2.0

/// Item properties (ISO/IEC 23008-12 §9.3): version and flags, number of items, then for each item its id,
/// the number of its properties, and for each property a bit (essential) and an index of 7 or 15 bits.
enum ItemProperties {
    /// The location of an item's indices.
    struct Place {
        let start: Int
        let count: Int
        let size: Int
    }

    /// The indices of the item's properties, from 1, in order; empty if it has none.
    static func indices(
        of item: Int, in iprp: Range<Int>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Int] {
        var found: Place?
        try walk(in: iprp, &reader) { id, place in
            if id == item { found = place }
            return found == nil
        }
        guard let found else { return [] }
        return try indices(at: found, &reader)
    }

    /// Visits every item that has properties, until `visit` returns false.
    static func walk(
        in iprp: Range<Int>, _ reader: inout HeaderReader, _ visit: (_ item: Int, Place) -> Bool
    ) throws(ImageHeaderError) {
        for box in try ISOMediaHeader.boxes(in: iprp, &reader) where box.type == "ipma" {
            let start = box.content.lowerBound
            let idSize = try reader.byte(at: start) == 0 ? 2 : 4
            let indexSize = try reader.byte(at: start + 3) & 1 == 0 ? 1 : 2
            var offset = start + 8
            for _ in 0..<(try reader.big32(at: start + 4)) {
                guard offset < box.content.upperBound else { throw .damaged }
                let id = try reader.number(at: offset, size: idSize, bigEndian: true)
                let count = Int(try reader.byte(at: offset + idSize))
                offset += idSize + 1
                guard visit(id, Place(start: offset, count: count, size: indexSize)) else { return }
                offset += count * indexSize
            }
        }
    }

    static func indices(
        at place: Place, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Int] {
        let mask = place.size == 1 ? 0x7F : 0x7FFF
        var indices: [Int] = []
        for index in 0..<place.count {
            let offset = place.start + index * place.size
            indices.append(try reader.number(at: offset, size: place.size, bigEndian: true) & mask)
        }
        return indices.filter { $0 > 0 }
    }
}
