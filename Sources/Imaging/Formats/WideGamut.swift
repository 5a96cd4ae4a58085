// SPDX-License-Identifier: Apache-2.0
//
// Where a file says that its numbers are those of Display P3:
//
//     JPEG    APP2 "ICC_PROFILE", number and count of parts, profile (ICC.1:2010 §B.4); behind JFIF's segment
//     PNG     iCCP: name, method 0, profile by zlib (W3C PNG §11.3.2.3); behind IHDR
//     WebP    ICCP behind VP8X, which has a flag for it (RFC 9649 §2.7)
//     AVIF    the code points of its colr box, 12 and 13

internal import ImageHeaders

/// A file that an encoder has made of pixels of Display P3, with that said in it.
enum WideGamut {
    /// A new beginning of the file, with what it says.
    struct Beginning {
        var bytes: [UInt8]
        /// How much of the file it takes the place of.
        var length: Int
    }

    /// Nil if the file has no place for it.
    static func beginning(
        of file: UnsafeRawBufferPointer, _ format: ImageFormat, _ size: PixelSize, hasAlpha: Bool
    ) -> Beginning? {
        switch format {
        case .jpeg: jpeg(file)
        case .png: png(file)
        case .webp: webp(file, size, hasAlpha: hasAlpha)
        case .avif: avif(file)
        default: nil
        }
    }

    private static var profile: [UInt8] { DisplayP3Profile.file }

    private static func jpeg(_ file: UnsafeRawBufferPointer) -> Beginning? {
        guard file.count > 20, file[2] == 0xFF else { return nil }
        let place = file[3] == 0xE0 ? 4 + Int(file[4]) << 8 + Int(file[5]) : 2
        guard place <= file.count else { return nil }
        let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let length = payload.count + 2
        let segment: [UInt8] = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + payload
        return Beginning(bytes: Array(file[..<place]) + segment, length: place)
    }

    private static func png(_ file: UnsafeRawBufferPointer) -> Beginning? {
        // The signature and IHDR.
        let place = 33
        guard file.count > place else { return nil }
        let body = Array("iCCPDisplay P3\0\0".utf8) + stored(profile)
        let chunk =
            DisplayP3Profile.big32(body.count - 4) + body + DisplayP3Profile.big32(Int(checksum(body)))
        return Beginning(bytes: Array(file[..<place]) + chunk, length: place)
    }

    /// zlib (RFC 1950) of one stored block.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let (low, high) = (UInt8(bytes.count & 255), UInt8(bytes.count >> 8))
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let head: [UInt8] = [0x78, 0x01, 1, low, high, ~low, ~high]
        return head + bytes + DisplayP3Profile.big32(b << 16 | a)
    }

    /// CRC-32 (W3C PNG annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }

    private static func webp(
        _ file: UnsafeRawBufferPointer, _ size: PixelSize, hasAlpha: Bool
    ) -> Beginning? {
        guard file.count >= 30, file[0..<4].elementsEqual("RIFF".utf8) else { return nil }
        let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
        var extended: [UInt8]
        if isExtended {
            extended = Array(file[12..<30])
            extended[8] |= 0x20
        } else {
            let sides = little(size.width - 1, 3) + little(size.height - 1, 3)
            extended = Array("VP8X".utf8) + little(10, 4) + [0x20 | (hasAlpha ? 0x10 : 0), 0, 0, 0] + sides
        }
        let place = isExtended ? 30 : 12
        let padding = [UInt8](repeating: 0, count: profile.count % 2)
        let chunk = Array("ICCP".utf8) + little(profile.count, 4) + profile + padding
        let length = 4 + extended.count + chunk.count + file.count - place
        let riff = Array("RIFF".utf8) + little(length, 4) + Array("WEBP".utf8)
        return Beginning(bytes: riff + extended + chunk, length: place)
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func avif(_ file: UnsafeRawBufferPointer) -> Beginning? {
        let name = Array("colrnclx".utf8)
        // The box is among the first ones, before any pixels.
        let last = min(file.count, 4096) - name.count - 4
        guard last > 0,
            let place = (0..<last).first(where: { file[$0..<$0 + name.count].elementsEqual(name) })
        else { return nil }
        return Beginning(bytes: Array(file[..<(place + 8)]) + [0, 12, 0, 13], length: place + 12)
    }
}
