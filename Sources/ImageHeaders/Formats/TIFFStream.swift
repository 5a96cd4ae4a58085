// SPDX-License-Identifier: Apache-2.0
//
// TIFF 6.0 §2 and BigTIFF. Byte order, 42 or 43, offset of the first directory; a directory is a count,
// entries of 12 or 20 bytes (tag, type, count, value or its offset) and the offset of the next directory, 0
// at the end.

/// A TIFF stream, which may start anywhere in a file.
struct TIFFStream {
    /// Offset in the file from which the stream's offsets count.
    let start: Int
    let isBigEndian: Bool
    /// True for BigTIFF, with 64-bit offsets.
    let isBig: Bool
    /// The offset of the first directory from `start`.
    private(set) var firstDirectory: Int

    init(_ reader: inout HeaderReader, start: Int) throws(ImageHeaderError) {
        self.start = start
        isBigEndian = try reader.has("MM", at: start)
        let isLittleEndian = try reader.has("II", at: start)
        guard isBigEndian || isLittleEndian else { throw .damaged }
        let version = try reader.number(at: start + 2, size: 2, bigEndian: isBigEndian)
        guard version == 42 || version == 43 else { throw .damaged }
        isBig = version == 43
        firstDirectory = try reader.number(
            at: start + (isBig ? 8 : 4), size: isBig ? 8 : 4, bigEndian: isBigEndian)
    }

    /// The same stream with this directory as its first.
    func beginning(at directory: Int) -> TIFFStream {
        var stream = self
        stream.firstDirectory = directory
        return stream
    }

    /// The fields of a directory that are needed here, each with its first value.
    struct Directory {
        fileprivate(set) var values: [Int: Int] = [:]
        /// Offset of the next directory; 0 after the last.
        fileprivate(set) var next = 0

        var width: Int? { values[256] }
        var height: Int? { values[257] }
        var orientation: Int? { values[274].flatMap { (1...8).contains($0) ? $0 : nil } }
    }

    private static let wanted: Set<Int> = [256, 257, 274]

    /// The length in bytes of an integer, by the type of its field. libtiff accepts signed types for unsigned fields.
    static let sizes = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 16: 8, 17: 8]

    func directory(
        _ reader: inout HeaderReader, at offset: Int
    ) throws(ImageHeaderError) -> Directory {
        let entries = try entries(&reader, of: offset)
        var directory = Directory()
        // Of several fields with one tag, libtiff takes the first, even if it is invalid.
        var seen: Set<Int> = []
        for entry in entries.places {
            let tag = try number(&reader, at: entry, size: 2)
            guard Self.wanted.contains(tag), seen.insert(tag).inserted else { continue }
            directory.values[tag] = try value(&reader, ofEntryAt: entry)
        }
        // EXIF directories may end without this field.
        directory.next = (try? number(&reader, at: entries.end, size: isBig ? 8 : 4)) ?? 0
        return directory
    }

    /// The offsets of a directory's entries in the file, and their end.
    func entries(
        _ reader: inout HeaderReader, of directory: Int
    ) throws(ImageHeaderError) -> (places: StrideTo<Int>, end: Int) {
        guard directory > 0, directory < reader.length - start else { throw .damaged }
        let (position, countSize, size) = (start + directory, isBig ? 8 : 2, isBig ? 20 : 12)
        let count = try number(&reader, at: position, size: countSize)
        // Cannot trap: the divisor is 12 or 20.
        guard count <= (reader.length - position - countSize) / size else { throw .damaged }
        let end = position + countSize + count * size
        return (stride(from: position + countSize, to: end, by: size), end)
    }

    /// The value of an entry with an integer; nil for other types, and if it has no values. Values that do not fit into the
    /// entry are stored elsewhere, which no field here needs.
    private func value(
        _ reader: inout HeaderReader, ofEntryAt entry: Int
    ) throws(ImageHeaderError) -> Int? {
        let type = try number(&reader, at: entry + 2, size: 2)
        let count = try number(&reader, at: entry + 4, size: isBig ? 8 : 4)
        guard count > 0, let size = Self.sizes[type], isBig || size < 8 else { return nil }
        return try number(&reader, at: entry + (isBig ? 12 : 8), size: size)
    }

    func number(
        _ reader: inout HeaderReader, at offset: Int, size: Int
    ) throws(ImageHeaderError) -> Int {
        try reader.number(at: offset, size: size, bigEndian: isBigEndian)
    }
}
