// SPDX-License-Identifier: Apache-2.0

/// The locations of items' bytes (ISO/IEC 14496-12 §8.11.3).
struct ItemLocations {
    /// The most parts of an item's bytes, each at another place. A picture of several layers has one for each. libheif reads as
    /// many, and more if libvips lifts its limits.
    static let mostParts = 32

    private let meta: Range<Int>
    private let iloc: Range<Int>
    private let version: UInt8
    private let idSize: Int
    private let offsetSize: Int
    private let lengthSize: Int
    private let baseSize: Int
    private let indexSize: Int

    /// Nil if the file has no list of locations.
    init?(in meta: Range<Int>, _ reader: inout HeaderReader) throws(ImageHeaderError) {
        guard let iloc = try ISOMediaHeader.child("iloc", in: meta, &reader) else { return nil }
        (self.meta, self.iloc) = (meta, iloc)
        version = try reader.byte(at: iloc.lowerBound)
        let sizes = try reader.big16(at: iloc.lowerBound + 4)
        (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        (baseSize, indexSize) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        idSize = version < 2 ? 2 : 4
        // libheif ignores numbers of other sizes, and would then find other entries.
        guard version < 3,
            [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) })
        else { throw .damaged }
    }

    /// Visits every item with the offset of its entry and the number of its parts, until `visit` returns
    /// false.
    func walk(
        _ reader: inout HeaderReader, _ visit: (_ item: Int, _ place: Int, _ parts: Int) -> Bool
    ) throws(ImageHeaderError) {
        let start = iloc.lowerBound + 6
        var offset = start + idSize
        for _ in 0..<(try reader.number(at: start, size: idSize, bigEndian: true)) {
            guard offset < iloc.upperBound else { throw .damaged }
            let item = try reader.number(at: offset, size: idSize, bigEndian: true)
            let parts = try reader.big16(at: offset + headSize + baseSize)
            guard visit(item, offset, parts) else { return }
            offset += headSize + baseSize + 2 + parts * (indexSize + offsetSize + lengthSize)
        }
    }

    /// The parts of the item with this entry, as far as they are in the file.
    func parts(at entry: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> [Range<Int>] {
        // The base of the item's offsets: 0 is the file, 1 the content of idat.
        let method = version == 0 ? 0 : try reader.big16(at: entry + idSize) & 15
        var offset = entry + headSize
        let base = try reader.number(at: offset, size: baseSize, bigEndian: true)
        offset += baseSize
        let count = try reader.big16(at: offset)
        offset += 2
        guard method < 2, count > 0,
            let home = method == 0 ? 0..<reader.length : try ISOMediaHeader.child("idat", in: meta, &reader)
        else { return [] }
        guard count <= Self.mostParts else { throw .damaged }
        var parts: [Range<Int>] = []
        for _ in 0..<count {
            offset += indexSize
            let place = try reader.number(at: offset, size: offsetSize, bigEndian: true)
            let length = try reader.number(at: offset + offsetSize, size: lengthSize, bigEndian: true)
            offset += offsetSize + lengthSize
            let (first, isTooMuch) = base.addingReportingOverflow(place)
            guard !isTooMuch, first <= home.count else { break }
            let begin = home.lowerBound + first
            let rest = home.upperBound - begin
            // A single part without a length reaches to the end; one of several is ignored by libheif.
            if length > 0 || count == 1 {
                parts.append(begin..<(begin + (length == 0 ? rest : min(length, rest))))
            }
        }
        return parts
    }

    /// The length of an entry's fields before the base offset: the item's id, from version 1 on the
    /// construction method, and the file reference.
    private var headSize: Int { idSize + (version == 0 ? 2 : 4) }
}
