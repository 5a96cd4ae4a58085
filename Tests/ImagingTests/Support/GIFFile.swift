// SPDX-License-Identifier: Apache-2.0

import PixelReference

/// GIF89a animations of whole frames with one palette.
enum GIFFile {
    /// `frames`: palette indices, row by row. `transparent`: the transparent index.
    static func write(
        width: Int, height: Int, palette: [[UInt8]], frames: [[UInt8]], delays: [Int], loop: Int,
        transparent: UInt8? = nil
    ) -> [UInt8] {
        let colours = palette + Array(repeating: [0, 0, 0], count: 16 - palette.count)
        var out =
            Array("GIF89a".utf8) + little16(width) + little16(height) + [0x80 | 3, 0, 0] + colours.joined()
        out += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + little16(loop) + [0]
        for (frame, delay) in zip(frames, delays) {
            // Disposal 2: the frame is cleared, so transparent pixels of the next frame show nothing of it.
            let flags: UInt8 = 2 << 2 | (transparent == nil ? 0 : 1)
            out += [0x21, 0xF9, 4, flags] + little16(delay / 10) + [transparent ?? 0, 0]
            out += [0x2C] + little16(0) + little16(0) + little16(width) + little16(height) + [0, 4]
            out += subBlocks(codes(frame)) + [0]
        }
        return out + [0x3B]
    }

    /// A frame that covers a part of the screen, as in real files.
    struct Part {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// Palette indices, row by row.
        var indices: [UInt8]
        /// The frame's own palette, which replaces the global one.
        var palette: [[UInt8]]?
        /// What happens to the frame before the next: 0 and 1 nothing, 2 cleared, 3 the previous content is
        /// restored.
        var disposal: UInt8 = 1
        /// The delay in hundredths of a second.
        var delay = 10
        var transparent: UInt8?
    }

    /// An animation of parts; without `loop`, the file has no loop count.
    static func write(
        width: Int, height: Int, palette: [[UInt8]], parts: [Part], loop: Int? = nil, before: [UInt8] = []
    ) -> [UInt8] {
        var out = Array("GIF89a".utf8) + little16(width) + little16(height) + [0x80 | 3, 0, 0]
        out += table(palette) + before
        if let loop { out += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + little16(loop) + [0] }
        for part in parts {
            let flags = part.disposal << 2 | (part.transparent == nil ? 0 : 1)
            out += [0x21, 0xF9, 4, flags] + little16(part.delay) + [part.transparent ?? 0, 0, 0x2C]
            out += [part.left, part.top, part.width, part.height].flatMap { little16($0) }
            out += [part.palette == nil ? 0 : 0x80 | 3] + (part.palette.map(table) ?? [])
            out += [4] + subBlocks(codes(part.indices)) + [0]
        }
        return out + [0x3B]
    }

    private static func table(_ palette: [[UInt8]]) -> [UInt8] {
        (palette + Array(repeating: [0, 0, 0], count: 16 - palette.count)).flatMap { $0 }
    }

    /// LZW that never uses its table: 5-bit codes, cleared before they would have to grow.
    private static func codes(_ indices: [UInt8]) -> [UInt8] {
        let (clear, end) = (16, 17)
        var codes: [Int] = []
        for (position, index) in indices.enumerated() {
            if position % 12 == 0 { codes.append(clear) }
            codes.append(Int(index))
        }
        codes.append(end)
        var (out, held, count): ([UInt8], Int, Int) = ([], 0, 0)
        for code in codes {
            held |= code << count
            count += 5
            while count >= 8 {
                out.append(UInt8(held & 255))
                held >>= 8
                count -= 8
            }
        }
        return count > 0 ? out + [UInt8(held & 255)] : out
    }

    private static func subBlocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let block = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(block.count)] + block
        }
    }

    struct Timing: Equatable {
        /// In milliseconds.
        var delays: [Int]
        /// As the format counts; 0 means for ever.
        var loop: Int?
    }

    static func timing(_ file: [UInt8]) -> Timing {
        var timing = Timing(delays: [], loop: nil)
        var offset = 13 + (file[10] & 0x80 == 0 ? 0 : 3 << (Int(file[10] & 7) + 1))
        while offset < file.count, file[offset] != 0x3B {
            if file[offset] == 0x2C {
                let packed = file[offset + 9]
                offset += 11 + (packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1))
            } else {
                if file[offset + 1] == 0xF9 {
                    timing.delays.append(10 * (Int(file[offset + 4]) | Int(file[offset + 5]) << 8))
                }
                if file[offset + 1] == 0xFF, file[offset + 3..<offset + 14].elementsEqual("NETSCAPE2.0".utf8)
                {
                    timing.loop = Int(file[offset + 16]) | Int(file[offset + 17]) << 8
                }
                offset += 2
            }
            while file[offset] != 0 { offset += 1 + Int(file[offset]) }
            offset += 1
        }
        return timing
    }
}

/// WebP's chunks.
enum WebPFile {
    static func chunks(_ file: [UInt8]) -> [(name: String, payload: [UInt8])] {
        var (chunks, offset): ([(name: String, payload: [UInt8])], Int) = ([], 12)
        while offset + 8 <= file.count {
            let length = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
            guard offset + 8 + length <= file.count else { break }
            let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
            chunks.append((name, Array(file[offset + 8..<offset + 8 + length])))
            offset += 8 + length + length % 2
        }
        return chunks
    }

    static func write(_ chunks: [(name: String, payload: [UInt8])]) -> [UInt8] {
        var body = Array("WEBP".utf8)
        for chunk in chunks {
            body += Array(chunk.name.utf8)
            body += little32(chunk.payload.count)
            body += chunk.payload
            if chunk.payload.count % 2 == 1 { body.append(0) }
        }
        return Array("RIFF".utf8) + little32(body.count) + body
    }

    static func timing(_ file: [UInt8]) -> GIFFile.Timing {
        var timing = GIFFile.Timing(delays: [], loop: nil)
        for chunk in chunks(file) {
            if chunk.name == "ANIM" { timing.loop = Int(chunk.payload[4]) | Int(chunk.payload[5]) << 8 }
            if chunk.name == "ANMF" {
                let bytes = chunk.payload[12..<15].map(Int.init)
                timing.delays.append(bytes[0] | bytes[1] << 8 | bytes[2] << 16)
            }
        }
        return timing
    }
}
