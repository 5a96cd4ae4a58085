// SPDX-License-Identifier: Apache-2.0
//
// ICC.1:2022 §7.2 and §7.3. A profile has a header of 128 bytes, the number of tags, and for each tag its
// signature, offset (counted from the profile's start) and size. The tag "desc" holds ASCII ("desc", version 2) or
// UTF-16 ("mluc", version 4).

enum ICCDescription {
    /// The profile's own name; nil if it cannot be read within `range`.
    static func read(_ reader: inout HeaderReader, in range: Range<Int>) -> String? {
        let start = range.lowerBound
        guard range.count >= 132, let count = try? reader.big32(at: start + 128) else { return nil }
        for index in 0..<min(count, 100) {
            let entry = start + 132 + index * 12
            guard entry + 12 <= range.upperBound, let isWanted = try? reader.has("desc", at: entry) else {
                return nil
            }
            guard isWanted else { continue }
            guard let offset = try? reader.big32(at: entry + 4), let size = try? reader.big32(at: entry + 8),
                offset <= range.count, size <= range.count - offset
            else { return nil }
            return try? text(&reader, in: (start + offset)..<(start + offset + size))
        }
        return nil
    }

    private static func text(
        _ reader: inout HeaderReader, in tag: Range<Int>
    ) throws(ImageHeaderError) -> String? {
        let start = tag.lowerBound
        if try reader.has("desc", at: start) {
            let length = min(try reader.big32(at: start + 8), tag.count - 12, 256)
            guard length > 0 else { return nil }
            let bytes = try reader.bytes(at: start + 12, count: length).prefix { $0 != 0 }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard try reader.has("mluc", at: start), try reader.big32(at: start + 8) > 0 else { return nil }
        let length = try reader.big32(at: start + 20)
        let offset = try reader.big32(at: start + 24)
        guard offset <= tag.count, length <= tag.count - offset else { return nil }
        let bytes = try reader.bytes(at: start + offset, count: min(length, 256) & ~1)
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }
}
