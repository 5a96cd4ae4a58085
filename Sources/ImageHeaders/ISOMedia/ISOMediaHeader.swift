// SPDX-License-Identifier: Apache-2.0
//
// HEIF (ISO/IEC 23008-12) in ISO base media boxes (ISO/IEC 14496-12 §4.2): 32-bit size that counts itself (1:
// a 64-bit size follows the type; 0: to the end), type, content.
//
//   ftyp
//   meta ─ pitm            the primary item
//        ─ iprp ─ ipco     properties, counted from 1: ispe (size), irot (turn), clap (crop), auxC (what an
//               │          auxiliary picture is for) …
//               └ ipma     which properties an item has, in the order in which they are applied
//
// libheif itself turns and crops, so this size is the final one, and no orientation is left. The frames that its decoders
// make may be larger (`ISOMediaFrames`).

enum ISOMediaHeader {
    static func parse(
        _ reader: inout HeaderReader, as format: ImageFormat
    ) throws(ImageHeaderError) -> ImageHeader {
        let items = try ISOMediaItems(&reader)
        var size = PixelSize(width: 0, height: 0)
        for property in try items.properties(of: items.primary, &reader) {
            try apply(property, to: &size, &reader)
        }
        var header = ImageHeader(
            format: format, width: size.width, height: size.height,
            hasAlpha: try describesAlpha(items.boxes, &reader),
            isDeep: try ISOMediaCoding.isDeep(items.boxes, &reader))
        let frames = try ISOMediaFrames.read(items, &reader)
        header.needs(pixels: frames.largest)
        // The format is that of the coding, because a brand is only a name and the coding selects the decoder. Settings that
        // allow only one of the formats thereby exclude the other's decoder.
        if frames.formats.count > 1 || frames.isForeign {
            header.isDecodable = false
        } else if let coded = frames.formats.first {
            header.format = coded
        }
        return header
    }

    /// Applies one property of the primary item; the order of properties matters.
    private static func apply(
        _ property: Box, to size: inout PixelSize, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) {
        let start = property.content.lowerBound
        switch property.type {
        case "ispe":
            size = PixelSize(width: try reader.big32(at: start + 4), height: try reader.big32(at: start + 8))
        case "irot" where try reader.byte(at: start) & 1 != 0:
            size = PixelSize(width: size.height, height: size.width)
        case "clap":
            size.width = min(size.width, try fraction(at: start, &reader))
            size.height = min(size.height, try fraction(at: start + 8, &reader))
        default:
            break
        }
    }

    /// A fraction, rounded down (ISO/IEC 14496-12 §12.1.4: numerator and denominator, 32 bits each).
    private static func fraction(
        at offset: Int, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Int {
        let denominator = try reader.big32(at: offset + 4)
        guard denominator > 0 else { throw .damaged }
        return try reader.big32(at: offset) / denominator
    }

    /// True if the type of an auxiliary picture is alpha, under MPEG's common name or a coding's own.
    static func describesAlpha(
        _ properties: [Box], _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        for property in properties where property.type == "auxC" {
            for name in alphaNames {
                let (start, end) = (property.content.lowerBound + 4, property.content.upperBound)
                guard try reader.has(name, at: start) else { continue }
                // A zero ends a name. If the box ends without one, libheif drops the last letter.
                let last = start + name.utf8.count
                if last + 1 >= end { return true }
                if try reader.byte(at: last) == 0 { return true }
            }
        }
        return false
    }

    private static let alphaNames = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
        "urn:mpeg:avc:2015:auxid:1",
    ]
}
