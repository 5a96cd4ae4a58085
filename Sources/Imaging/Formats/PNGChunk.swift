// SPDX-License-Identifier: Apache-2.0

/// Writes PNG chunks: length (4 bytes, big-endian), type, payload, checksum (W3C PNG §5.3).
enum PNGChunk {
    /// - Parameter body: the chunk's type and payload.
    static func file(_ body: [UInt8]) -> [UInt8] {
        [UInt8](big: body.count - 4, 4) + body + [UInt8](big: Int(checksum(body)), 4)
    }

    /// A zlib stream (RFC 1950) of stored, uncompressed blocks (RFC 1951 §3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let (low, high) = (UInt8((end - start) & 255), UInt8((end - start) >> 8))
            packed += [end == bytes.count ? 1 : 0, low, high, ~low, ~high] + bytes[start..<end]
            start = end
        } while start < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return packed + [UInt8](big: b << 16 | a, 4)
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
}
