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
    /// A list ended before its end: what was not found there is not known.
    private var isCut = (properties: false, types: false, entries: false)

    /// - Throws: if there are more items than any picture has, or references that cannot be read.
    init(_ items: ISOMediaItems, _ reader: inout HeaderReader) throws(ImageHeaderError) {
        self.items = items
        locations = (try? ItemLocations(in: items.meta, &reader)) ?? nil
        for reference in try items.references(["dimg"], &reader) {
            parts[reference.source, default: []] += reference.targets
        }
        readProperties(&reader)
        readTypes(&reader)
        readEntries(&reader)
        guard max(properties.count, entries.count) < Self.mostItems else { throw .damaged }
    }

    private mutating func readProperties(_ reader: inout HeaderReader) {
        var found: [Int: ItemProperties.Place] = [:]
        do throws(ImageHeaderError) {
            try ItemProperties.walk(in: items.iprp, &reader) { item, place in
                if found[item] == nil { found[item] = place }
                return found.count < Self.mostItems
            }
        } catch { isCut.properties = true }
        properties = found
    }

    private mutating func readTypes(_ reader: inout HeaderReader) {
        var found: [Int: Int] = [:]
        do throws(ImageHeaderError) {
            try items.walkTypes(&reader) { item, place in
                if found[item] == nil { found[item] = place }
            }
        } catch { isCut.types = true }
        types = found
    }

    private mutating func readEntries(_ reader: inout HeaderReader) {
        var found: [Int: Int] = [:]
        do throws(ImageHeaderError) {
            try locations?.walk(&reader) { item, place in
                if found[item] == nil { found[item] = place }
                return found.count < Self.mostItems
            }
        } catch { isCut.entries = true }
        entries = found
    }

    /// In the order in which they are applied.
    func properties(
        of item: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [ISOMediaHeader.Box] {
        guard let place = properties[item] else {
            if isCut.properties { throw .damaged }
            return []
        }
        return items.properties(at: try ItemProperties.indices(at: place, &reader))
    }

    /// Four letters; nil if it has none.
    func kind(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> String? {
        guard let place = types[item] else {
            if isCut.types { throw .damaged }
            return nil
        }
        return String(decoding: try reader.bytes(at: place, count: 4), as: UTF8.self)
    }

    /// The item's first bytes; nil if they are in no place of the file.
    func bytes(of item: Int, _ reader: inout HeaderReader) throws(ImageHeaderError) -> Range<Int>? {
        guard let locations, let entry = entries[item] else {
            if isCut.entries { throw .damaged }
            return nil
        }
        return try locations.bytes(at: entry, &reader)
    }

    /// The items that this one is put together from.
    func parts(of item: Int) -> [Int] { parts[item] ?? [] }
}
