// SPDX-License-Identifier: Apache-2.0

/// The properties, types and locations of all items of a HEIF, read once, because a picture may have hundreds
/// of tiles.
struct ISOMediaTable {
    /// The most items: as many as a grid can have.
    private static let mostItems = 1 << 16

    private let items: ISOMediaItems
    /// The location of each item's properties; of several entries for one item, the first counts.
    private var properties: [Int: ItemProperties.Place] = [:]
    /// The offset of each item's type, four letters.
    private var types: [Int: Int] = [:]
    private let locations: ItemLocations?
    private var entries: [Int: Int] = [:]
    /// The parts that each item is derived from.
    private var parts: [Int: [Int]] = [:]
    /// True if the bytes of an item are in more parts than those of any real picture.
    private var isScattered = false

    /// - Throws: if there are more items, or more parts of one, than in any real picture, or if a list cannot be read to its end,
    ///   because a decoder might find what is not found here.
    init(_ items: ISOMediaItems, _ reader: inout HeaderReader) throws(ImageHeaderError) {
        self.items = items
        locations = try ItemLocations(in: items.meta, &reader)
        for reference in try items.references(["dimg"], &reader) {
            parts[reference.source, default: []] += reference.targets
        }
        try readProperties(&reader)
        try readTypes(&reader)
        try readEntries(&reader)
        guard !isScattered, max(properties.count, entries.count) < Self.mostItems else { throw .damaged }
    }

    private mutating func readProperties(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        var found: [Int: ItemProperties.Place] = [:]
        try ItemProperties.walk(in: items.iprp, &reader) { item, place in
            if found[item] == nil { found[item] = place }
            return found.count < Self.mostItems
        }
        properties = found
    }

    private mutating func readTypes(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        var found: [Int: Int] = [:]
        try items.walkTypes(&reader) { item, place in
            if found[item] == nil { found[item] = place }
        }
        types = found
    }

    private mutating func readEntries(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        var (found, parts): ([Int: Int], Int) = ([:], 0)
        try locations?.walk(&reader) { item, place, count in
            if found[item] == nil { found[item] = place }
            parts = max(parts, count)
            return found.count < Self.mostItems
        }
        (entries, isScattered) = (found, parts > ItemLocations.mostParts)
    }

    /// The item's properties in the order in which they are applied.
    func properties(
        of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        guard let place = properties[item] else { return [] }
        return items.properties(at: try ItemProperties.indices(at: place, &reader))
    }

    /// The item's type, four letters; nil if it has none.
    func kind(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> String? {
        guard let place = types[item] else { return nil }
        return String(decoding: try reader.bytes(at: place, count: 4), as: UTF8.self)
    }

    /// Reads the item's bytes, its parts joined; nil if they are not in the file.
    func reading<Value>(
        _ item: Int, _ reader: inout HeaderReader,
        _ work: (inout HeaderReader, _ bytes: Range<Int>) throws(ImageHeaderError) -> Value?
    ) throws(ImageHeaderError) -> Value? {
        guard let locations, let entry = entries[item] else { return nil }
        let parts = try locations.parts(at: entry, &reader)
        guard let first = parts.first else { return nil }
        guard parts.count > 1 else { return try work(&reader, first) }
        return try reader.reading(parts) { (joined) throws(ImageHeaderError) in
            try work(&joined, 0..<joined.length)
        }
    }

    /// The parts that this item is derived from.
    func parts(of item: Int) -> [Int] { parts[item] ?? [] }
}
