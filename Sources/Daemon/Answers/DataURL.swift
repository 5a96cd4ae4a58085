// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
internal import Kernel

/// RFC 2397: `data:`, the media type, `;base64,` and the bytes as RFC 4648 §4 spells them.
enum DataURL {
    /// Bytes of a picture that is written so; a page with a larger one in it serves nobody. It is held in memory whole.
    static let longest = 16 << 20

    /// Nil where the bytes cannot be read any more.
    static func of(_ body: Body, _ format: ImageFormat) -> Body? {
        let bytes: ImmutableBytes
        switch body {
        case .bytes(let held): bytes = held
        case .file(let file, let length):
            guard let read = file.bytes(count: length) else { return nil }
            bytes = read
        }
        let prefix = Array("data:\(format.mediaType);base64,".utf8)
        let length = prefix.count + (bytes.count + 2) / 3 * 4
        return .bytes(
            ImmutableBytes(count: length) { (storage) throws(Never) in
                storage.copyBytes(from: prefix)
                encode(bytes.buffer, into: UnsafeMutableRawBufferPointer(rebasing: storage[prefix.count...]))
            })
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        var written = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = bytes.count - start
            let group =
                UInt32(bytes[start]) << 16 | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
            for (place, shift) in [18, 12, 6, 0].enumerated() {
                text[written] = place <= rest ? digits[Int(group >> shift & 63)] : UInt8(ascii: "=")
                written += 1
            }
        }
    }
}
