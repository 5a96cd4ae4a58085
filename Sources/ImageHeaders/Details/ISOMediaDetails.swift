// SPDX-License-Identifier: Apache-2.0
//
// ISO/IEC 23008-12 §6.5.6 (pixi: bits of each channel) and ISO/IEC 14496-12 §12.1.5 (colr: a profile, or code points).

extension ImageDetails {
    mutating func readISOMedia(_ reader: inout HeaderReader, _ header: ImageHeader) throws(ImageHeaderError) {
        var isMeasured = false
        for box in try ISOMediaItems(&reader).boxes {
            let start = box.content.lowerBound
            // The first box describes the picture; later ones may describe its alpha or its thumbnail.
            if box.type == "pixi", !isMeasured {
                isMeasured = true
                let count = Int(try reader.byte(at: start + 4))
                setChannels(
                    max(1, min(count, 4)) + (header.hasAlpha ? 1 : 0),
                    bits: Int(try reader.byte(at: start + 5)))
            }
            if box.type == "colr", !hasProfile, box.content.count > 4 {
                let kind = try reader.bytes(at: start, count: 4)
                let isProfile = ["prof", "rICC"].contains { kind.elementsEqual($0.utf8) }
                if isProfile {
                    setProfile(ICCDescription.read(&reader, in: (start + 4)..<box.content.upperBound))
                }
            }
        }
    }
}
