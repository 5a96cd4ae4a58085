// SPDX-License-Identifier: Apache-2.0
//
// The colours of a HEIF or an AVIF:
//
//     colr    prof or rICC: an ICC profile; nclx: primaries, transfer, matrix (2 bytes each), and a bit for full range
//             (ISO/IEC 14496-12 §12.1.5)
//     mdcv    the mastering display: 16 bytes of chromaticities, then its peak, 0.0001 cd/m² (4 bytes; §12.1.7)
//     av1C    4 bytes, of which the third has the depth; then perhaps the sequence header (AV1-ISOBMFF §2.3)
//     hvcC    the depth less 8, in the lowest bits of byte 17 (ISO/IEC 14496-15 §8.3.3.1)
//
// A colour box takes precedence over the sequence header, with which every AV1 item's bytes begin.

/// The colours that a HEIF describes by code points.
package enum ISOMediaColours {
    /// Nil if the file describes no colours, or describes them by an ICC profile.
    package static func read(_ source: some HeaderSource) -> ColourDescription? {
        guard var described = source.reading(read) ?? nil, !described.isSRGB else { return nil }
        // Only grey is affected, because the decoder expands the range of pictures with colours.
        described.isLimited = ISOMediaGrey.isLimited(source)
        return described
    }

    private static func read(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> ColourDescription? {
        let items = try ISOMediaItems(&reader)
        let (coded, properties) = try items.codedPicture(&reader)
        guard let coding = properties.first(where: ISOMediaCoding.isMeant) else { return nil }
        var points: CodePoints?
        for box in properties where box.type == "colr" {
            let start = box.content.lowerBound
            guard try reader.has("nclx", at: start) else { return nil }
            if points != nil { continue }
            points = CodePoints(
                primaries: try reader.big16(at: start + 4), transfer: try reader.big16(at: start + 6))
        }
        if points == nil, coding.type == "av1C" {
            points = try AV1SequenceHeader.find(&reader, in: coding, of: coded, items)?.codePoints
        }
        let depth = try ISOMediaCoding.depth(coding, &reader)
        return try points?.description(
            peak: peak(properties, &reader), depth: depth, isLimited: false)
    }

    /// The peak luminance of the mastering display in cd/m²; nil if it is not given.
    private static func peak(
        _ properties: [ISOMediaHeader.Box], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Double? {
        guard let box = properties.first(where: { $0.type == "mdcv" }) else { return nil }
        return ColourDescription.peak(try reader.big32(at: box.content.lowerBound + 16))
    }
}
