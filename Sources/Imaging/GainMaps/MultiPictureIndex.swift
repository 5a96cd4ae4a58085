// SPDX-License-Identifier: Apache-2.0
//
// The multi-picture index of CIPA DC-007 §5.2 locates the pictures of a file. It stands in APP2 behind "MPF" and a
// zero, as a TIFF stream with one directory:
//
//     B000    version, "0100"
//     B001    number of pictures
//     B002    16 bytes for each: attributes, length, offset, and the numbers of two dependent pictures
//
// Offsets count from the beginning of the TIFF stream. The first picture, which holds the index, has offset 0.

enum MultiPictureIndex {
    static let name = Array("MPF\0".utf8)

    /// The ranges in the file of the pictures behind the first; at most 8.
    /// - Parameter segment: the segment's range behind its length.
    static func others(_ file: UnsafeRawBufferPointer, _ segment: Range<Int>) -> [Range<Int>] {
        let start = segment.lowerBound + name.count
        guard segment.count > name.count + 8 else { return [] }
        let stream = file[start..<segment.upperBound]
        let isBig = stream.first == UInt8(ascii: "M")
        func number(_ offset: Int, _ size: Int) -> Int? {
            guard offset >= 0, offset <= stream.count - size else { return nil }
            let bytes = stream[(start + offset)...].prefix(size)
            return isBig
                ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(2, 2) == 42, let directory = number(4, 4), let count = number(directory, 2) else {
            return []
        }
        var places: [Range<Int>] = []
        for field in 0..<min(count, 16) {
            let place = directory + 2 + 12 * field
            guard number(place, 2) == 0xB002, let size = number(place + 4, 4),
                let entries = number(place + 8, 4)
            else { continue }
            for entry in 1..<max(1, min(size / 16, 9)) {
                guard let length = number(entries + 16 * entry + 4, 4),
                    let offset = number(entries + 16 * entry + 8, 4), offset > 0, length > 0,
                    length <= file.count - start, offset <= file.count - start - length
                else { continue }
                let found = start + offset..<start + offset + length
                if !places.contains(found) { places.append(found) }
            }
            break
        }
        return places
    }

    /// The payload's length of a segment for two pictures, in bytes.
    static let length = name.count + 8 + 2 + 3 * 12 + 4 + 2 * 16

    /// The segment of a file whose second picture directly follows the first.
    /// - Parameters:
    ///   - place: the offset of the segment's name in the file.
    ///   - first: the length of the first picture in bytes, this segment included.
    ///   - second: the length of the second picture in bytes.
    static func segment(at place: Int, first: Int, second: Int) -> [UInt8] {
        func big(_ number: Int, _ size: Int = 4) -> [UInt8] { [UInt8](big: number, size) }
        func field(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            big(tag, 2) + big(type, 2) + big(count) + value
        }
        var bytes = name + Array("MM".utf8) + big(42, 2) + big(8) + big(3, 2)
        bytes += field(0xB000, 7, 4, Array("0100".utf8))
        bytes += field(0xB001, 4, 1, big(2))
        bytes += field(0xB002, 7, 32, big(50)) + big(0)
        // The first is a JPEG and the primary picture; the second a JPEG of none of the standard's kinds.
        bytes += big(0x30000) + big(first) + big(0) + big(0)
        bytes += big(0) + big(second) + big(first - place - name.count) + big(0)
        return bytes
    }
}
