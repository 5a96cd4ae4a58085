// SPDX-License-Identifier: Apache-2.0
//
// ITU-T T.81 §B.1 and B.2. FF D8, then segments: FF (fill bytes FF …) marker, 16-bit length that counts
// itself.
//   SOFn (C0…CF but C4, C8, CC): length, precision, height, width, components
//   SOS (DA): components of the scan
//   APP1 (E1): "Exif\0\0" and a TIFF stream
// The walk ends at the first scan (SOS) or the end of the image.

enum JPEGHeader {
    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        var frame: ImageHeader?
        var orientation: Int?
        var offset = 2
        while let segment = try? nextSegment(&reader, from: offset) {
            switch segment.marker {
            case _ where segment.isFrame:
                // A second frame header belongs to the hierarchical mode, or is an attempt to hide the true
                // size.
                guard frame == nil else { throw .damaged }
                frame = try startOfFrame(&reader, segment)
            case 0xE1 where orientation == nil:
                orientation = EXIF.orientation(&reader, in: segment.payload)
            case 0xDA, 0xD9:
                // The first scan has fewer components than the frame, so the others follow in later scans.
                if segment.marker == 0xDA, let scanned = try? reader.byte(at: segment.payload.lowerBound),
                    let components = frame?.components, scanned < components
                {
                    frame?.isProgressive = true
                }
                offset = reader.length
                continue
            default:
                break
            }
            offset = segment.payload.upperBound
        }
        // A height of zero would be set by a DNL segment after the first scan, which no decoder here
        // supports.
        guard var header = frame, header.height > 0 else { throw .damaged }
        header.orientation = orientation ?? 1
        return header
    }

    struct Segment {
        var marker: UInt8
        var payload: Range<Int>

        /// True for the frame headers SOFn.
        var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
    }

    /// The next segment; bytes between segments are skipped, as decoders do.
    static func nextSegment(
        _ reader: inout HeaderReader, from start: Int
    ) throws(ImageHeaderError) -> Segment {
        var offset = start
        while true {
            while try reader.byte(at: offset) != 0xFF { offset += 1 }
            while try reader.byte(at: offset) == 0xFF { offset += 1 }
            let marker = try reader.byte(at: offset)
            offset += 1
            switch marker {
            case 0x00, 0x01, 0xD0...0xD8: continue
            case 0xD9: return Segment(marker: marker, payload: offset..<offset)
            default: break
            }
            // A length that does not even count itself is read as 2.
            let length = max(try reader.big16(at: offset), 2)
            return Segment(marker: marker, payload: (offset + 2)..<(offset + length))
        }
    }

    /// Grey, colours, inks: the memory price covers these. libjpeg accepts up to ten components and holds the coefficients of each. It
    /// accepts two as well, which have no meaning: libvips returns them as RGB with a channel missing.
    private static let usualComponents: [UInt8] = [1, 3, 4]

    private static func startOfFrame(
        _ reader: inout HeaderReader, _ segment: Segment
    ) throws(ImageHeaderError) -> ImageHeader {
        let start = segment.payload.lowerBound
        var header = ImageHeader(
            format: .jpeg, width: try reader.big16(at: start + 3), height: try reader.big16(at: start + 1))
        // Decodable are baseline, extended and progressive JPEGs, with Huffman or arithmetic coding, and 8 bits a
        // sample. The others are lossless or differential.
        let bits = try reader.byte(at: start)
        let isUsual = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(segment.marker) && bits == 8
        header.isProgressive = [0xC2, 0xCA].contains(segment.marker)
        header.components = try reader.byte(at: start + 5)
        header.isDecodable = isUsual && usualComponents.contains(header.components)
        return header
    }
}
