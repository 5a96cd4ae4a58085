// SPDX-License-Identifier: Apache-2.0
// A high dynamic range photograph has an additional item `tmap`, derived from the picture and its gain map (ISO 21496-1). iref then
// relates what belongs to the picture, such as EXIF and the gain map, to both; iPhones write such files since iOS 18. libheif
// before 1.18, as in Debian 12, refuses a file with such a reference to several items, or to an item of unknown type.

/// The references of a HEIF's items that an older libheif refuses.
package enum ISOMediaReferences {
    /// The offsets of the types, four letters each, of references that such a libheif refuses and that no pixel needs:
    /// those of metadata (cdsc), thumbnails (thmb) and auxiliary pictures (auxl) except alpha.
    package static func needless(_ source: some HeaderSource) -> [Int] {
        source.reading(needless) ?? []
    }

    private static func needless(_ reader: inout HeaderReader) throws(ImageHeaderError) -> [Int] {
        let items = try ISOMediaItems(&reader)
        guard let iref = try ISOMediaHeader.child("iref", in: items.meta, &reader), iref.count >= 4 else {
            return []
        }
        let toneMaps = try items.ofType("tmap", &reader)
        let size = try reader.byte(at: iref.lowerBound) == 0 ? 2 : 4
        var found: [Int] = []
        for box in try ISOMediaHeader.boxes(in: (iref.lowerBound + 4)..<iref.upperBound, &reader)
        where ["cdsc", "thmb", "auxl"].contains(box.type) {
            let start = box.content.lowerBound
            let count = try reader.big16(at: start + size)
            let target = try reader.number(at: start + size + 2, size: size, bigEndian: true)
            guard count != 1 || toneMaps.contains(target), try reader.has(box.type, at: start - 4) else {
                continue
            }
            if box.type == "auxl", count > 1 {
                let source = try reader.number(at: start, size: size, bigEndian: true)
                let properties = try items.properties(of: source, &reader)
                if try ISOMediaHeader.describesAlpha(properties, &reader) { continue }
            }
            found.append(start - 4)
        }
        return found
    }
}
