// SPDX-License-Identifier: Apache-2.0
//
// W3C PNG (Third Edition) §11.2.1 (IHDR), §11.3.2.3 (iCCP), §11.3.4.3 (pHYs).

extension ImageDetails {
    mutating func readPNG(_ reader: inout HeaderReader, _ header: ImageHeader) throws(ImageHeaderError) {
        let bits = Int(try reader.byte(at: 24))
        let kind = try reader.byte(at: 25)
        // Bit 2: colours; bit 4: alpha; bit 1: a palette, of 8-bit colours.
        setChannels((kind & 2 != 0 ? 3 : 1) + (header.hasAlpha ? 1 : 0), bits: kind & 1 != 0 ? 8 : bits)
        if kind & 1 != 0 { paletteBits = bits }
        isProgressive = try reader.byte(at: 28) == 1
        var offset = PNGHeader.behindIHDR
        while let chunk = try PNGHeader.ancillaryChunk(&reader, at: offset) {
            let (start, length) = (chunk.data.lowerBound, chunk.data.count)
            if chunk.type == "pHYs", length >= 9, try reader.byte(at: start + 8) == 1 {
                setDensity(Double(try reader.big32(at: start)) * 0.0254)
            }
            if chunk.type == "iCCP", !hasProfile {
                let name = try reader.bytes(at: start, count: min(length, 79)).prefix { $0 != 0 }
                setProfile(String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) })))
            }
            offset = chunk.end
        }
    }
}
