// SPDX-License-Identifier: Apache-2.0

/// The properties of each item of a HEIF, read once: a picture may have hundreds of tiles.
struct ISOMediaTable {
    /// As many as a grid has at the most.
    private static let mostItems = 1 << 16

    private let items: ISOMediaItems
    /// Where each item's properties are; of several entries for one item, the first counts.
    private var properties: [Int: ItemProperties.Place] = [:]
    /// Where the four letters are.
    private var types: [Int: Int] = [:]
    private let locations: ItemLocations?
    private var entries: [Int: Int] = [:]
    /// The items that an item is put together from.
    private var parts: [Int: [Int]] = [:]
    /// The bytes of an item are in more parts than any picture's are.
    private var isScattered = false

    /// - Throws: if there are more items, or more parts of one, than any picture has, or a list that cannot be read to its end: what is
    /// not found there might be found by a decoder.
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

    /// In the order in which they are applied.
    func properties(
        of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        guard let place = properties[item] else { return [] }
        return items.properties(at: try ItemProperties.indices(at: place, &reader))
    }

    /// Four letters; nil if it has none.
    func kind(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> String? {
        guard let place = types[item] else { return nil }
        return String(decoding: try reader.bytes(at: place, count: 4), as: UTF8.self)
    }

    /// Reads the item's bytes, one part behind the other; nil if they are in no place of the file.
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

    /// The items that this one is put together from.
    func parts(of item: Int) -> [Int] { parts[item] ?? [] }
}
