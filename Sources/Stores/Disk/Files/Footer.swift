// SPDX-License-Identifier: Apache-2.0
//
// A file on the disk cache is a body, at offset 0 so that decoders, sendfile(2) and file(1) see a plain picture,
// and 64 bytes behind it (numbers are little-endian):
//
//      0  8  magic, "\x89PICTOR\n"
//      8  1  version, 1
//      9  1  kind: 1 original, 2 rendition
//     10  1  format (ImageFormat)
//     11  1  0
//     12  4  width     \
//     16  4  height     } of a rendition; 0 in an original, whose row holds them
//     20  4  pages     /
//     24  8  length of the body
//     32 32  checksum: of an original the SHA-256 of its body, which is its name as well; of a rendition the
//            SHA-256 over its name, the 32 bytes above and its body, so that no other file can take its place
//
// SHA-256 for both kinds, although a CRC would do for renditions: processors with SHA instructions hash 50 KB
// in 30 µs, once when a file is kept and once after a restart, and one way to check is enough.

internal import Bytes
internal import ImageHeaders

/// The last 64 bytes of a file in the disk cache: its kind, its picture and its checksum.
package struct Footer: Sendable, Hashable {
    /// The kind of body before the footer; the numbers are on disk.
    package enum Kind: UInt8, Sendable, Hashable {
        case original = 1
        case rendition = 2
    }

    static let size = 64
    /// Bytes before the checksum.
    static let headSize = 32
    private static let magic: [UInt8] = [0x89, 0x50, 0x49, 0x43, 0x54, 0x4F, 0x52, 0x0A]
    private static let version: UInt8 = 1

    var kind: Kind
    var format: ImageFormat
    var width: UInt32 = 0
    var height: UInt32 = 0
    var pages: UInt32 = 0
    var length: Int
    var checksum: Digest

    /// Nil unless these are 64 bytes as `bytes` writes them.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        func number<Number: FixedWidthInteger>(_ offset: Int, as: Number.Type) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        guard bytes.count == Self.size, bytes.prefix(8).elementsEqual(Self.magic), bytes[8] == Self.version,
            let kind = Kind(rawValue: bytes[9]), let format = ImageFormat(rawValue: bytes[10]),
            let length = Int(exactly: number(24, as: UInt64.self)), length <= FileEntry.longest,
            let checksum = Digest(UnsafeRawBufferPointer(rebasing: bytes[Self.headSize...]))
        else { return nil }
        self.init(
            kind: kind, format: format, width: number(12, as: UInt32.self),
            height: number(16, as: UInt32.self),
            pages: number(20, as: UInt32.self), length: length, checksum: checksum)
    }

    init(
        kind: Kind, format: ImageFormat, width: UInt32 = 0, height: UInt32 = 0, pages: UInt32 = 0,
        length: Int,
        checksum: Digest
    ) {
        self.kind = kind
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
        self.checksum = checksum
    }

    var head: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headSize)
        bytes.append(Self.version)
        bytes.append(kind.rawValue)
        bytes.append(format.rawValue)
        bytes.append(0)
        for number in [width, height, pages] { bytes.append(littleEndian: number) }
        // Cannot trap: a length is not negative.
        bytes.append(littleEndian: UInt64(length))
        return bytes
    }

    /// All 64 bytes.
    package var bytes: [UInt8] { head + checksum.bytes }
}

extension [UInt8] {
    /// Appends the number's bytes, the lowest byte first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
