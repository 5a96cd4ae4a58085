// SPDX-License-Identifier: Apache-2.0

/// The OBUs in a range of bytes (AV1 §5.3).
struct AV1Units {
    private var rest: Range<Int>

    init(_ bytes: Range<Int>) { rest = bytes }

    /// The bytes behind the first four of an `av1C` (AV1-ISOBMFF §2.3).
    static func inside(_ coding: ISOMediaHeader.Box) -> Range<Int> {
        let start = coding.content.lowerBound + 4
        return start..<max(start, coding.content.upperBound)
    }

    /// The next OBU's type, and its bytes without the header; nil at the end. A truncated OBU ends with the bytes.
    mutating func next(
        _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> (type: UInt8, content: Range<Int>)? {
        guard !rest.isEmpty else { return nil }
        let head = try reader.byte(at: rest.lowerBound)
        var offset = rest.lowerBound + (head & 4 == 0 ? 1 : 2)
        var size = Int.max
        if head & 2 != 0 { size = try Self.size(&reader, at: &offset) }
        let start = min(offset, rest.upperBound)
        let end = start + min(size, rest.upperBound - start)
        rest = end..<rest.upperBound
        return (head >> 3 & 15, start..<end)
    }

    /// A size in groups of 7 bits, `leb128()` of §4.10.5.
    private static func size(
        _ reader: inout HeaderReader, at offset: inout Int
    ) throws(ImageHeaderError) -> Int {
        var size = 0
        for index in 0..<8 {
            let byte = try reader.byte(at: offset)
            offset += 1
            size |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return size }
        }
        throw .damaged
    }
}
