// SPDX-License-Identifier: Apache-2.0

/// The segments of a JPEG before its first scan (ITU-T T.81 §B.1.1.4): FF, marker, 16-bit length that counts itself.
enum JPEGSegments {
    /// The most segments that are read, far more than any camera writes. A segment can have 4 bytes, so a
    /// large file could have millions.
    private static let most = 1024

    /// The segments before the first scan, up to the first irregular one: each with its marker and the range behind its
    /// length. At most 1,024.
    static func all(_ file: UnsafeRawBufferPointer) -> [(marker: UInt8, payload: Range<Int>)] {
        guard file.count > 4, file[0] == 0xFF, file[1] == 0xD8 else { return [] }
        var segments: [(marker: UInt8, payload: Range<Int>)] = []
        var offset = 2
        while segments.count < most, offset + 4 <= file.count, file[offset] == 0xFF {
            let marker = file[offset + 1]
            if marker == 0xFF {
                offset += 1
                continue
            }
            let end = offset + 2 + (Int(file[offset + 2]) << 8 | Int(file[offset + 3]))
            guard marker != 0xDA, end >= offset + 4, end <= file.count else { break }
            segments.append((marker, offset + 4..<end))
            offset = end
        }
        return segments
    }

    /// The offset at which to insert segments into an encoder's file: behind the JFIF segment, which comes first. 0 if the
    /// file has no segment.
    static func behindJFIF(_ file: UnsafeRawBufferPointer) -> Int {
        all(file).first.map { $0.marker == 0xE0 ? $0.payload.upperBound : 2 } ?? 0
    }

    /// - Parameter payload: at most 65,533 bytes.
    static func write(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + [UInt8](big: payload.count + 2, 2) + payload
    }
}
