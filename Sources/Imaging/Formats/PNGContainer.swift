// SPDX-License-Identifier: Apache-2.0
//
// PNG (W3C PNG §5): an 8-byte signature, then chunks: length (4 bytes, big-endian), type (4 letters), payload,
// checksum (4).

/// Parses a PNG file as chunks, to hide or remove those that neither the pixels nor their density need.
package enum PNGContainer {
    private static let signature = 8
    /// Chunks that the pixels need. The orientation was read with the header.
    private static let needed: Set<UInt32> = Set(["IHDR", "PLTE", "tRNS", "iCCP", "IDAT", "IEND"].map(code))
    /// An unknown ancillary type, which decoders skip.
    private static let unknown = code("juNk")
    private static let profile = code("iCCP")
    private static let density = code("pHYs")
    private static let end = code("IEND")

    /// Renames the chunks that are not needed. libpng would decompress all texts before the first pixel, for which a
    /// file of 800 KB can take half a minute. libpng also decompresses profile after profile until one is valid. So
    /// only the first profile remains (§11.3.2.3 allows one), which libpng limits to 8 MB.
    package static func muteMetadata(_ file: UnsafeMutableRawBufferPointer) {
        var hasProfile = false
        var offset = signature
        while file.count - offset >= 12 {
            let length = Int(UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            let type = UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let isNeeded = needed.contains(type) || isDensity(UnsafeRawBufferPointer(file), at: offset)
            if !isNeeded || type == profile && hasProfile {
                file.storeBytes(of: unknown.bigEndian, toByteOffset: offset + 4, as: UInt32.self)
            }
            if type == profile { hasProfile = true }
            offset += 12 + length
        }
    }

    /// The parts of the file that make the picture, and its density. Of an animated PNG only the still image remains. The
    /// profile is left out, because callers ask only for pictures in sRGB.
    static func picture(_ file: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard file.count > signature else { return nil }
        var parts = [0..<signature]
        var offset = signature
        while file.count - offset >= 12 {
            let length = Int(UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            let type = UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            guard length <= file.count - offset - 12 else { return nil }
            let chunk = offset..<offset + 12 + length
            if needed.contains(type) && type != profile || isDensity(file, at: offset) { parts.append(chunk) }
            if type == end { return parts }
            offset = chunk.upperBound
        }
        return nil
    }

    /// Whether a whole chunk at this offset gives the density in pixels per metre (§11.3.4.3: 4 bytes for each axis, then 1).
    /// Without a unit the chunk is left out, because libvips would assume pixels per millimetre.
    private static func isDensity(_ file: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard file.count - offset >= 21 else { return false }
        let length = UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let type = UInt32(bigEndian: file.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        return type == density && length == 9 && file[offset + 16] == 1
    }

    private static func code(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}
