// SPDX-License-Identifier: Apache-2.0
//
// Grey pictures of limited range, in which black is 16 and white 235. These places tell whether a picture is one:
//
//     av1C    4 bytes, of which the third has the bit "monochrome"; then perhaps the sequence header (AV1-ISOBMFF §2.3)
//     hvcC    the chroma format, in the lowest bits of byte 16 (ISO/IEC 14496-15 §8.3.3.1)
//     colr    nclx: primaries, transfer, matrix (2 bytes each), and a bit for full range; before the sequence header
//
// The bytes of an AV1 item begin with the sequence header too.

/// Whether a HEIF is grey and of limited range.
package enum ISOMediaGrey {
    /// True for a grey picture of limited range. libheif returns such a plane unchanged.
    package static func isLimited(_ source: some HeaderSource) -> Bool {
        source.reading(isLimited) ?? false
    }

    private static func isLimited(_ reader: inout HeaderReader) throws(ImageHeaderError) -> Bool {
        let items = try ISOMediaItems(&reader)
        let (coded, properties) = try items.codedPicture(&reader)
        guard let coding = properties.first(where: ISOMediaCoding.isMeant) else { return false }
        let (start, isAV1) = (coding.content.lowerBound, coding.type == "av1C")
        let isGrey =
            try isAV1 ? reader.byte(at: start + 2) & 0x10 != 0 : reader.byte(at: start + 16) & 3 == 0
        guard isGrey else { return false }
        for box in properties where box.type == "colr" {
            let content = box.content.lowerBound
            guard try reader.has("nclx", at: content) else { continue }
            guard try reader.byte(at: content + 10) & 0x80 == 0 else { return false }
            // The coding takes precedence over the box; see `ISOMediaRange`.
            let isFull = isAV1 ? nil : try? HEVCSequenceHeader.isFullRange(&reader, in: coding)
            return isFull != true
        }
        guard isAV1 else { return false }
        guard let header = try AV1SequenceHeader.find(&reader, in: coding, of: coded, items) else {
            return false
        }
        return header.isGrey && !header.isFullRange
    }
}
