// SPDX-License-Identifier: Apache-2.0
//
// PNG (W3C PNG §5, §9) in its simplest form: deflate's stored blocks only (RFC 1951 §3.2.4), which is what an encoder
// at level 0 writes.

package enum PNGFile {
    package static func write(_ canvas: Canvas) -> [UInt8] {
        write(
            width: canvas.width, height: canvas.height, depth: 8, colourType: [0, 4, 2, 6][canvas.bands - 1],
            rows: canvas.samples)
    }

    /// `rows`: samples as the format packs them, without filter bytes.
    package static func write(
        width: Int, height: Int, depth: UInt8, colourType: UInt8, rows: [UInt8], before: [UInt8] = []
    ) -> [UInt8] {
        let stride = rows.count / height
        var filtered: [UInt8] = []
        filtered.reserveCapacity(rows.count + height)
        for y in 0..<height {
            filtered.append(0)
            filtered += rows[y * stride..<(y + 1) * stride]
        }
        let header = big32(width) + big32(height) + [depth, colourType, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + before
            + chunk("IDAT", stored(filtered)) + chunk("IEND", [])
    }

    package static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + payload
        return big32(payload.count) + body + big32(Int(crc32(body)))
    }

    /// An `iCCP` chunk.
    package static func profile(_ file: [UInt8]) -> [UInt8] {
        chunk("iCCP", Array("p\0\0".utf8) + stored(file))
    }

    /// 16 × 16 of one colour, the second of a palette of two.
    package static func palette(_ colour: [UInt8]) -> [UInt8] {
        write(
            width: 16, height: 16, depth: 8, colourType: 3, rows: [UInt8](repeating: 1, count: 256),
            before: chunk("PLTE", [9, 9, 9] + colour))
    }

    /// zlib (RFC 1950) around stored blocks.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var offset = 0
        repeat {
            let count = min(65_535, bytes.count - offset)
            let last: UInt8 = offset + count == bytes.count ? 1 : 0
            let low = [UInt8(count & 255), UInt8(count >> 8)]
            out += [last] + low + low.map { ~$0 } + bytes[offset..<offset + count]
            offset += count
        } while offset < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return out + big32(b << 16 | a)
    }

    /// 8 bits a sample or a colour index; nil for anything else.
    package static func read(_ file: [UInt8]) -> Canvas? {
        let chunks = chunks(file)
        guard let header = chunks.first?.payload, header.count == 13, header[8] == 8,
            let bands = [0: 1, 3: 1, 4: 2, 2: 3, 6: 4][header[9]],
            let raw = unstored(chunks.filter { $0.name == "IDAT" }.flatMap(\.payload))
        else { return nil }
        let (width, height) = (number(header, 0), number(header, 4))
        guard raw.count == height * (1 + width * bands),
            let samples = unfilter(raw, stride: width * bands, bands: bands, rows: height)
        else { return nil }
        guard header[9] == 3 else {
            return Canvas(width: width, height: height, bands: bands, samples: samples)
        }
        guard let palette = chunks.first(where: { $0.name == "PLTE" })?.payload else { return nil }
        return Canvas(width, height) { x, y in
            let start = 3 * Int(samples[y * width + x])
            return Array(palette[start..<start + 3])
        }
    }

    package static func chunks(_ file: [UInt8]) -> [(name: String, payload: [UInt8])] {
        var (chunks, offset): ([(name: String, payload: [UInt8])], Int) = ([], 8)
        while offset + 12 <= file.count {
            let length = number(file, offset)
            guard offset + 12 + length <= file.count else { break }
            let name = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
            chunks.append((name, Array(file[offset + 8..<offset + 8 + length])))
            offset += 12 + length
        }
        return chunks
    }

    private static func unstored(_ stream: [UInt8]) -> [UInt8]? {
        var (out, offset): ([UInt8], Int) = ([], 2)
        while offset + 5 <= stream.count {
            guard stream[offset] & 6 == 0 else { return nil }
            let count = Int(stream[offset + 1]) | Int(stream[offset + 2]) << 8
            guard offset + 5 + count <= stream.count else { return nil }
            out += stream[offset + 5..<offset + 5 + count]
            if stream[offset] & 1 == 1 { return out }
            offset += 5 + count
        }
        return nil
    }

    /// §9.2: None, Sub, Up, Average, Paeth; nil for a filter that there is not.
    private static func unfilter(_ raw: [UInt8], stride: Int, bands: Int, rows: Int) -> [UInt8]? {
        var out = [UInt8](repeating: 0, count: stride * rows)
        for y in 0..<rows {
            let (from, to) = (y * (stride + 1) + 1, y * stride)
            let filter = raw[from - 1]
            for x in 0..<stride {
                let left = x >= bands ? Int(out[to + x - bands]) : 0
                let up = y > 0 ? Int(out[to + x - stride]) : 0
                let corner = x >= bands && y > 0 ? Int(out[to + x - stride - bands]) : 0
                let predicted: Int
                switch filter {
                case 0: predicted = 0
                case 1: predicted = left
                case 2: predicted = up
                case 3: predicted = (left + up) / 2
                case 4: predicted = paeth(left, up, corner)
                default: return nil
                }
                out[to + x] = UInt8(truncatingIfNeeded: Int(raw[from + x]) + predicted)
            }
        }
        return out
    }

    private static func paeth(_ a: Int, _ b: Int, _ c: Int) -> Int {
        let (pa, pb, pc) = (abs(b - c), abs(a - c), abs(a + b - 2 * c))
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ crcs[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }

    private static let crcs: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
