// SPDX-License-Identifier: Apache-2.0

/// The thumbnails of a HEIF's picture.
package enum ISOMediaThumbnail {
    /// False if a thumbnail may have a coding that is not measured here. It must not be decoded, because its frames were checked
    /// against no limit and no price.
    package static func isMeasured(_ source: some HeaderSource) -> Bool {
        source.reading { reader in
            let frames = try ISOMediaFrames.read(ISOMediaItems(&reader), &reader)
            return !frames.hasForeignThumbnail && !reader.isExhausted
        } ?? false
    }

    /// True if every thumbnail of the picture is turned and mirrored like the picture, and cropped only if the picture is. libheif turns
    /// each item by its own properties, and a thumbnail without them may be stored in either orientation.
    package static func isTurnedAlike(_ source: some HeaderSource) -> Bool {
        source.reading { reader in
            let items = try ISOMediaItems(&reader)
            let turns = try turns(of: items.primary, items, &reader)
            for reference in try items.references(["thmb"], &reader)
            where reference.targets.contains(items.primary) {
                guard try Self.turns(of: reference.source, items, &reader) == turns else { return false }
            }
            return true
        } ?? false
    }

    /// A name for each crop, turn and mirroring of an item, in their order.
    private static func turns(
        of item: Int, _ items: ISOMediaItems, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [String] {
        var turns: [String] = []
        for box in try items.properties(of: item, &reader) {
            let start = box.content.lowerBound
            switch box.type {
            case "clap": turns.append("clap")
            case "irot":
                let quarters = try reader.byte(at: start) & 3
                if quarters != 0 { turns.append("irot \(quarters)") }
            case "imir": turns.append("imir \(try reader.byte(at: start) & 1)")
            default: break
            }
        }
        return turns
    }
}
