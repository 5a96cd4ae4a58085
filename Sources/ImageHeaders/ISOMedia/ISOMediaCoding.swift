// SPDX-License-Identifier: Apache-2.0
//
// The coding of an item, from its configuration box:
//
//     av1C    4 bytes, of which the third has the depth (AV1-ISOBMFF §2.3)
//     hvcC    the depth less 8, in the lowest bits of byte 17 (ISO/IEC 14496-15 §8.3.3.1)

enum ISOMediaCoding {
    static func isMeant(by box: ISOMediaHeader.Box) -> Bool { box.type == "av1C" || box.type == "hvcC" }

    /// Bits of a sample.
    static func depth(
        _ coding: ISOMediaHeader.Box, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Int {
        let start = coding.content.lowerBound
        guard coding.type == "av1C" else { return Int(try reader.byte(at: start + 17) & 7) + 8 }
        let flags = try reader.byte(at: start + 2)
        return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    }

    /// True if a sample of any of these items has more than 8 bits.
    static func isDeep(
        _ properties: [ISOMediaHeader.Box], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        for box in properties where isMeant(by: box) {
            if try depth(box, &reader) > 8 { return true }
        }
        return false
    }
}
