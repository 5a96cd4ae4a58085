// SPDX-License-Identifier: Apache-2.0
//
// Some cameras of Sony's write HEICs whose colour box calls the range limited (black is 16 and white 235), and whose coding, which is
// right, calls it full. The box comes first (ISO/IEC 23000-22 §7.3.6.4), so that libheif stretches what has its full range already;
// programs that go by the coding show such a file as it was taken.

/// The range of a HEIC that tells two.
package enum ISOMediaRange {
    /// Where the bytes of its colour boxes stand whose highest bit is to say full.
    package static func misstated(_ source: some HeaderSource) -> [Int] {
        source.reading(misstated) ?? []
    }

    private static func misstated(_ reader: inout HeaderReader) throws(ImageHeaderError) -> [Int] {
        let items = try ISOMediaItems(&reader)
        var places = try misstated(among: items.codedPicture(&reader).properties, &reader)
        // A thumbnail, which may be shown in place of the picture, has a coding of its own.
        for reference in try items.references(["thmb"], &reader)
        where reference.targets.contains(items.primary) {
            places += try misstated(among: items.properties(of: reference.source, &reader), &reader)
        }
        return places
    }

    private static func misstated(
        among properties: [ISOMediaHeader.Box], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Int] {
        var places: [Int] = []
        for box in properties where box.type == "colr" && box.content.count > 10 {
            let start = box.content.lowerBound
            guard try reader.has("nclx", at: start), try reader.byte(at: start + 10) & 0x80 == 0 else {
                continue
            }
            places.append(start + 10)
        }
        guard !places.isEmpty, let coding = properties.first(where: { $0.type == "hvcC" }) else { return [] }
        return try HEVCSequenceHeader.isFullRange(&reader, in: coding) ? places : []
    }
}
