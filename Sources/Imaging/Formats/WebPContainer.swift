// SPDX-License-Identifier: Apache-2.0
//
// WebP is RIFF (developers.google.com/speed/webp/docs/riff_container):
//
//     0  "RIFF"  4  size of what follows   8  "WEBP"
//     12 chunks, each: 4 letters, 4 bytes of payload size (little-endian), payload, a zero if its size is odd
//
// libvips 8.14 ignores `strip` when it writes WebP, so every rendition would publish the camera's EXIF, GPS position
// included. A profile that libvips may write is removed as well.

/// Parses a WebP file as chunks, to remove those that pixels do not need.
package enum WebPContainer {
    private static let header = 12
    private static let chunkHeader = 8
    /// Chunks that pictures and animations are made of (RFC 9649 §2).
    private static let needed: Set<String> = ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF"]

    /// The parts of a WebP file that remain without metadata, in order. Together they are a valid file again; the sizes and
    /// flags in them are corrected in place. A file that is no WebP remains whole.
    /// - Parameter hasAlpha: true if some of the picture is transparent. libwebp sets the flag of an animation only if a frame
    ///   has alpha, and not if frames leave parts of the canvas free.
    package static func strip(_ file: UnsafeMutableRawBufferPointer, hasAlpha: Bool = false) -> [Range<Int>] {
        guard let chunks = chunks(file), chunks.count > 1 else { return [0..<file.count] }
        var kept = chunks.filter { needed.contains($0.name) }
        if kept.count == 2, kept[0].name == "VP8X", kept[1].name == "VP8 " || kept[1].name == "VP8L" {
            // A still picture without alpha data needs no extended header.
            kept.removeFirst()
        } else if kept.first?.name == "VP8X" {
            // Flags: 0x20 profile, 0x08 EXIF, 0x04 XMP.
            file[kept[0].range.lowerBound + chunkHeader] &= ~(0x20 | 0x08 | 0x04)
            if hasAlpha { file[kept[0].range.lowerBound + chunkHeader] |= 0x10 }
        }
        let size = kept.reduce(4) { $0 + $1.range.count }
        for index in 0..<4 { file[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
        return [0..<header] + kept.map(\.range)
    }

    /// True if the file's structure is whole and holds a picture.
    static func isWhole(_ file: UnsafeMutableRawBufferPointer) -> Bool {
        chunks(file)?.contains { ["VP8 ", "VP8L", "ANMF"].contains($0.name) } ?? false
    }

    /// Nil if the file's structure is broken.
    static func chunks(_ file: UnsafeMutableRawBufferPointer) -> [(name: String, range: Range<Int>)]? {
        guard file.count >= header, file[0..<4].elementsEqual("RIFF".utf8),
            file[8..<12].elementsEqual("WEBP".utf8)
        else { return nil }
        var chunks: [(name: String, range: Range<Int>)] = []
        var offset = header
        while offset < file.count {
            guard file.count - offset >= chunkHeader else { return nil }
            let size = Int(
                UInt32(littleEndian: file.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)))
            let end = offset + chunkHeader + size + size % 2
            guard end <= file.count else { return nil }
            chunks.append((String(decoding: file[offset..<offset + 4], as: UTF8.self), offset..<end))
            offset = end
        }
        return chunks
    }
}
