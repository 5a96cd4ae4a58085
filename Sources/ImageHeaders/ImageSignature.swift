// SPDX-License-Identifier: Apache-2.0

/// File signatures: recognises formats by their first bytes. gzip (`1f 8b`) is left out on purpose, because
/// compressed SVG makes decoders hang.
package enum ImageSignature {
    /// Bytes to read; only SVG, which may begin with comments, needs more than a few.
    static let length = 4_096

    static func format(of start: [UInt8]) -> ImageFormat? {
        binary.first { starts(start, with: $0.magic) }?.format
            ?? webp(start) ?? isoMedia(start) ?? bmp(start) ?? SVGSignature.format(of: start)
            ?? latePDF(start)
    }

    /// The fixed byte sequences with which files of a format may begin; empty for formats that are recognised otherwise.
    package static func magics(of format: ImageFormat) -> [[UInt8]] {
        binary.filter { $0.format == format }.map(\.magic)
    }

    private static let binary: [(magic: [UInt8], format: ImageFormat)] = [
        ([0xFF, 0xD8, 0xFF], .jpeg),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        (Array("GIF87a".utf8), .gif),
        (Array("GIF89a".utf8), .gif),
        (Array("II*\0".utf8), .tiff),
        (Array("MM\0*".utf8), .tiff),
        (Array("II+\0".utf8), .tiff),
        (Array("MM\0+".utf8), .tiff),
        ([0xFF, 0x0A], .jxl),
        ([0, 0, 0, 0x0C] + Array("JXL \r\n".utf8) + [0x87, 0x0A], .jxl),
        (pdf, .pdf),
        ([0, 0, 1, 0], .ico),
    ]

    private static let pdf = Array("%PDF-".utf8)

    /// PDF behind other bytes, as mail programs and printers leave them. Viewers, poppler among them, search the first 1,024
    /// bytes for the header (PDF 1.7 reference, implementation note 13).
    private static func latePDF(_ start: [UInt8]) -> ImageFormat? {
        let places = start.indices.prefix(1_024)
        return places.contains { start[$0] == pdf[0] && start[$0...].starts(with: pdf) } ? .pdf : nil
    }

    private static func starts(_ start: some Sequence<UInt8>, with magic: [UInt8]) -> Bool {
        start.starts(with: magic)
    }

    private static func webp(_ start: [UInt8]) -> ImageFormat? {
        starts(start, with: Array("RIFF".utf8)) && starts(start.dropFirst(8), with: Array("WEBP".utf8))
            ? .webp : nil
    }

    /// BMP: many texts begin with "BM", so the size of the information header must be a known one as well.
    private static func bmp(_ start: [UInt8]) -> ImageFormat? {
        guard starts(start, with: Array("BM".utf8)), start.count >= 18 else { return nil }
        let known: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]
        return known.contains(start[14]) && start[15...17] == [0, 0, 0] ? .bmp : nil
    }

    /// HEIF and AVIF (ISO/IEC 23008-12 §10, AVIF specification §6): by the major brand, then by the
    /// compatible brands.
    private static func isoMedia(_ start: [UInt8]) -> ImageFormat? {
        guard start.count >= 16, starts(start.dropFirst(4), with: Array("ftyp".utf8)) else { return nil }
        let size = start[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(max(size, 16), start.count)
        let offsets = [8] + stride(from: 16, through: end - 4, by: 4)
        let brands = offsets.map { String(decoding: start[$0..<($0 + 4)], as: UTF8.self) }
        return brands.lazy.compactMap { brandFormats[$0] }.first
            ?? (brands.contains { ["mif1", "msf1"].contains($0) } ? .heic : nil)
    }

    private static let brandFormats: [String: ImageFormat] = [
        "avif": .avif, "avis": .avif, "heic": .heic, "heix": .heic, "hevc": .heic, "hevx": .heic,
        "heim": .heic,
        "heis": .heic, "hevm": .heic, "hevs": .heic,
    ]
}
