// SPDX-License-Identifier: Apache-2.0

/// The smallest files of each format, built field by field from their specifications.
enum SampleHeaders {
    static func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func little(_ value: Int, _ size: Int) -> [UInt8] { big(value, size).reversed() }

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(payload.count + 2, 2) + payload
    }

    static func jpeg(
        width: Int = 640, height: Int = 480, frame: UInt8 = 0xC0, before: [UInt8] = [], after: [UInt8] = [],
        scan: [UInt8] = [3, 1, 0, 2, 0x11, 3, 0x11]
    ) -> [UInt8] {
        let components: [UInt8] = [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        return [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]) + before
            + segment(frame, [8] + big(height, 2) + big(width, 2) + components) + after
            + segment(0xDA, scan + [0, 63, 0]) + [1, 2, 3, 0xFF, 0xD9]
    }

    /// A TIFF stream with one entry, the orientation.
    static func exif(_ orientation: Int, bigEndian: Bool = false, type: Int = 3) -> [UInt8] {
        let number = bigEndian ? big : little
        return Array((bigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + number(1, 2)
            + number(274, 2) + number(type, 2) + number(1, 4) + number(orientation, type == 3 ? 2 : 4)
            + (type == 3 ? [0, 0] : []) + number(0, 4)
    }

    static func exifSegment(_ stream: [UInt8]) -> [UInt8] { segment(0xE1, Array("Exif\0\0".utf8) + stream) }

    // MARK: PNG

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        big(data.count, 4) + Array(type.utf8) + data + [0, 0, 0, 0]
    }

    static func png(width: Int = 640, height: Int = 480, colour: UInt8 = 2, before: [UInt8] = []) -> [UInt8] {
        [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]
            + chunk("IHDR", big(width, 4) + big(height, 4) + [8, colour, 0, 0, 0]) + before
            + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
    }

    // MARK: GIF

    static func gif(width: Int = 64, height: Int = 48, _ blocks: [UInt8]) -> [UInt8] {
        Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
            + blocks + [0x3B]
    }

    static func gifFrame(left: Int = 0, top: Int = 0, width: Int = 64, height: Int = 48) -> [UInt8] {
        [0x2C] + little(left, 2) + little(top, 2) + little(width, 2) + little(height, 2) + [0x80] + [
            0, 0, 0, 1, 1, 1,
        ]
            + [2, 3, 9, 9, 9, 1, 9, 0]
    }

    static func gifControl(transparent: Bool) -> [UInt8] {
        [0x21, 0xF9, 4, transparent ? 1 : 0, 10, 0, 0, 0]
    }

    // MARK: WebP

    static func webp(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    static func webpChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
    }

    static func vp8(width: Int = 640, height: Int = 480, scale: Int = 0) -> [UInt8] {
        webpChunk(
            "VP8 ",
            [0x50, 0, 0, 0x9D, 1, 0x2A] + little(width | scale << 14, 2) + little(height | scale << 14, 2) + [
                0
            ])
    }

    static func vp8l(width: Int = 640, height: Int = 480, alpha: Bool = false) -> [UInt8] {
        webpChunk("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14 | (alpha ? 1 << 28 : 0), 4))
    }

    static func vp8x(width: Int = 640, height: Int = 480, flags: UInt8 = 0) -> [UInt8] {
        webpChunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    // MARK: HEIF

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    static func ispe(_ width: Int, _ height: Int) -> [UInt8] {
        box("ispe", [0, 0, 0, 0] + big(width, 4) + big(height, 4))
    }

    static let alphaProperty = box(
        "auxC", [0, 0, 0, 0] + Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))

    /// Item 2 is primary; item 1 is a thumbnail of 160 × 120 with the first property.
    static func heif(
        brand: String = "avif", compatible: [String] = ["mif1", "miaf"],
        properties: [[UInt8]] = [ispe(640, 480)],
        moov: [UInt8] = []
    ) -> [UInt8] {
        let all = [ispe(160, 120)] + properties
        let indices = (2..<(all.count + 1)).map { UInt8($0) | 0x80 }
        let ipma: [UInt8] =
            [0, 0, 0, 0] + big(2, 4) + [0, 1, 1, 1] + [0, 2, UInt8(indices.count)] + indices
        let iprp = box("iprp", box("ipco", all.flatMap { $0 }) + box("ipma", ipma))
        let meta = box("meta", [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0, 0, 2]) + iprp)
        let brands = compatible.flatMap { Array($0.utf8) }
        return box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + brands) + moov + meta + box("mdat", [1, 2, 3])
    }

    // MARK: ICO

    /// One bitmap, up to its header.
    static func icon(width: Int, height: Int) -> [UInt8] {
        let bitmap =
            little(40, 4) + little(width, 4) + little(2 * height, 4) + little(1, 2) + little(32, 2)
            + [UInt8](repeating: 0, count: 24)
        return [0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 32, 0] + little(bitmap.count, 4) + little(22, 4) + bitmap
    }

    // MARK: TIFF

    /// Directories one behind the other; the last one's link is `last`.
    static func tiff(
        _ directories: [[(Int, Int)]], bigEndian: Bool = false, big64: Bool = false, last: Int = 0
    ) -> [UInt8] {
        let number = bigEndian ? big : little
        let word = big64 ? 8 : 4
        var bytes = Array((bigEndian ? "MM" : "II").utf8)
        bytes +=
            big64 ? number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8) : number(42, 2) + number(8, 4)
        for (index, entries) in directories.enumerated() {
            bytes += number(entries.count, big64 ? 8 : 2)
            for (tag, value) in entries {
                bytes += number(tag, 2) + number(4, 2) + number(1, word) + number(value, 4)
                if big64 { bytes += [0, 0, 0, 0] }
            }
            bytes += number(index == directories.count - 1 ? last : bytes.count + word, word)
        }
        return bytes
    }

    static let all: [[UInt8]] = [
        jpeg(before: exifSegment(exif(6))), png(before: chunk("eXIf", exif(3))),
        gif(gifControl(transparent: true) + gifFrame() + gifFrame()), webp(vp8()), webp(vp8l()),
        webp(vp8x(flags: 0x1A) + webpChunk("ANMF", [1, 2, 3]) + webpChunk("EXIF", exif(8))),
        heif(properties: [ispe(640, 480), box("irot", [1]), alphaProperty]), heif(brand: "heic"),
        tiff([[(256, 640), (257, 480)], [(256, 1), (257, 1)]]),
        tiff([[(256, 640), (257, 480)]], bigEndian: true, big64: true),
        Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + little(40, 4) + little(640, 4)
            + little(-480, 4),
        icon(width: 32, height: 32),
        Array("<?xml version='1.0'?><!-- x --><!DOCTYPE svg [ <!ENTITY a '>'> ]><svg>".utf8),
    ]
}
