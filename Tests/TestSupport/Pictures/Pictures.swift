// SPDX-License-Identifier: Apache-2.0
//
// PNG (W3C PNG §5, §9) in its simplest form: truecolour, 8 bits, no row filters, deflate's stored blocks only
// (RFC 1951 §3.2.4), so that neither side of a test needs a C library.

/// Pictures for origins to serve.
package enum Pictures {
    package typealias Colour = [UInt8]

    package static func png(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> Colour) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(height * (1 + width * 3))
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows += pixel(x, y) }
        }
        return start(width, height) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    package static func flat(_ width: Int, _ height: Int, _ colour: Colour) -> [UInt8] {
        png(width, height) { _, _ in colour }
    }

    /// No two parts alike; another `hue`, another picture.
    package static func gradient(_ width: Int, _ height: Int, hue: UInt8 = 128) -> [UInt8] {
        png(width, height) { x, y in [UInt8(x * 255 / width), UInt8(y * 255 / height), hue] }
    }

    /// What encoders find hard.
    package static func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return png(width, height) { _, _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return [UInt8(state >> 40 & 255), UInt8(state >> 48 & 255), UInt8(state >> 56)]
        }
    }

    /// The same picture, its data in IDAT chunks of so many bytes.
    package static func inChunks(of size: Int, _ png: [UInt8]) -> [UInt8] {
        // Signature and IHDR; length and name of the only IDAT; its checksum, and IEND.
        let (before, name, after) = (33, 8, 4 + 12)
        let data = png[(before + name)..<(png.count - after)]
        let parts = stride(from: data.startIndex, to: data.endIndex, by: size).map {
            Array(data[$0..<min($0 + size, data.endIndex)])
        }
        return png.prefix(before) + parts.flatMap { chunk("IDAT", $0) } + png.suffix(12)
    }

    /// The same numbers, described as those of Display P3.
    package static func inDisplayP3(_ png: [UInt8]) -> [UInt8] {
        png.prefix(33) + chunk("cICP", [12, 13, 0, 1]) + png.dropFirst(33)
    }

    /// A file that claims this size and holds no pixels.
    package static func claiming(width: Int, height: Int) -> [UInt8] {
        start(width, height) + chunk("IDAT", stored([0])) + chunk("IEND", [])
    }

    /// A black picture of one bit a pixel, in few bytes however large it is.
    package static func dense(_ width: Int, _ height: Int) -> [UInt8] {
        let rows = [UInt8](repeating: 0, count: height * (1 + (width + 7) / 8))
        let header = big32(UInt32(width)) + big32(UInt32(height)) + [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", Compression.compress(rows, as: .zlib)) + chunk("IEND", [])
    }

    /// The colour of a picture of one pixel, as an encoder writes it that does not compress.
    package static func colour(ofPixel png: [UInt8]) -> Colour? {
        guard let name = png.firstRange(of: Array("IDAT".utf8)) else { return nil }
        // After the name: 2 bytes of zlib, 5 of the stored block, the row's filter (which changes nothing here).
        let block = png[name.upperBound...].prefix(11)
        guard block.count == 11, block.dropFirst(2).prefix(2) == [1, 4] else { return nil }
        return Array(block.suffix(3))
    }

    /// GIF89a of four colours in slanting stripes that move from frame to frame, 50 ms each.
    package static func animation(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
        let sides = [width & 255, width >> 8, height & 255, height >> 8].map { UInt8($0) }
        var file = Array("GIF89a".utf8) + sides + [0x80 | 1, 0, 0]
        file += [220, 20, 20, 20, 200, 30, 30, 40, 220, 250, 240, 90]
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for frame in 0..<frames {
            file += [0x21, 0xF9, 4, 0, 5, 0, 0, 0, 0x2C, 0, 0, 0, 0] + sides + [0, 2]
            let data = lzw(
                ofFourColours: (0..<width * height).map { ($0 % width / 7 + $0 / width / 5 + frame) % 4 })
            for start in stride(from: 0, to: data.count, by: 255) {
                let block = data[start..<min(start + 255, data.count)]
                file += [UInt8(block.count)] + block
            }
            file.append(0)
        }
        return file + [0x3B]
    }

    /// A GIF frame's data for indices of four colours: LZW with codes of three bits, cleared before they grow.
    package static func lzw(ofFourColours indices: [Int]) -> [UInt8] {
        var (held, bits, data): (Int, Int, [UInt8]) = (0, 0, [])
        func put(_ code: Int) {
            held |= code << bits
            bits += 3
            while bits >= 8 {
                data.append(UInt8(held & 255))
                (held, bits) = (held >> 8, bits - 8)
            }
        }
        for (position, index) in indices.enumerated() {
            if position % 2 == 0 { put(4) }
            put(index)
        }
        put(5)
        return bits > 0 ? data + [UInt8(held & 255)] : data
    }

    // MARK: The format

    private static func start(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big32(UInt32(width)) + big32(UInt32(height)) + [8, 2, 0, 0, 0])
    }

    private static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + payload
        return big32(UInt32(payload.count)) + body + big32(checksum(body))
    }

    /// zlib (RFC 1950) around stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out.append(rest.isEmpty ? 1 : 0)
            for half in [length, ~length] { out += [UInt8(half & 255), UInt8(half >> 8)] }
            out += block
        } while !rest.isEmpty
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return out + big32(b << 16 | a)
    }

    private static func big32(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 as PNG §5.5 has it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes { crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
        return ~crc
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
