// SPDX-License-Identifier: Apache-2.0
//
// A photograph of high dynamic range has an item `tmap` beside it, made of the picture and of its gain map (ISO 21496-1). What
// belongs to the picture, as its EXIF and the gain map, belongs to both by iref then; iPhones write it since iOS 18. libheif before
// 1.18, as in Debian 12, refuses a file where something belongs to several items, or to one of a type that it does not know.

/// The references of a HEIF's items, as far as an older libheif cannot bear them.
package enum ISOMediaReferences {
    /// Where the four letters of those stand that such a libheif refuses and no pixel needs: of metadata (cdsc), thumbnails
    /// (thmb) and auxiliary pictures (auxl) but alpha.
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
