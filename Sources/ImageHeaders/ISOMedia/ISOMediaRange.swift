// SPDX-License-Identifier: Apache-2.0
// Some Sony cameras write HEICs whose colour box declares limited range (black is 16 and white 235) while the coding declares full
// range, which is right. The box takes precedence (ISO/IEC 23000-22 §7.3.6.4), so libheif stretches samples that have full range
// already. Programs that trust the coding show such a file as it was taken.

/// Finds a HEIC's contradictory declarations of its range.
package enum ISOMediaRange {
    /// The offsets of the bytes in colour boxes whose highest bit must be set to declare full range.
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
