// SPDX-License-Identifier: Apache-2.0
//
// BI_RLE8 and BI_RLE4 ([MS-WMF] §3.1.6): pairs of bytes.
//
//     n value     n pixels of this index; with 4 bits, the high and the low index by turns
//     0 0         end of the row
//     0 1         end of the picture
//     0 2 x y     a move by x pixels to the right and y rows on
//     0 n …       n pixels, each by its own index; padded to an even number of bytes
//
// Rows are counted as the file stores them. Pixels that the runs leave out have index 0. Pixels beyond the end of a row
// are dropped, because some versions of ImageMagick wrote such files.

internal import ImageHeaders
internal import Recipes

/// Unpacks the runs of one bitmap.
struct BitmapRuns {
    private let bytes: UnsafeRawBufferPointer
    private let size: PixelSize
    private let bits: Int
    private var offset: Int
    private var (x, y) = (0, 0)
    private var indices: [UInt8]

    /// - Parameter bits: bits of an index, 4 or 8.
    init(_ bytes: UnsafeRawBufferPointer, from offset: Int, size: PixelSize, bits: Int) {
        (self.bytes, self.offset, self.size, self.bits) = (bytes, offset, size, bits)
        indices = []
    }

    /// One index for each pixel.
    /// - Throws: `.damaged` if the runs break off, or go on behind the last row.
    mutating func unpacked() throws(ImagingFailure) -> [UInt8] {
        indices = [UInt8](repeating: 0, count: size.area)
        // The marks for the end of the row and of the picture may be missing.
        while y < size.height - 1 || y == size.height - 1 && x < size.width {
            switch (try next(), try next()) {
            case (0, 0): (x, y) = (0, y + 1)
            case (0, 1): return indices
            case (0, 2): try skip(try next(), try next())
            case (0, let count): try literal(count)
            case (let count, let value):
                for position in 0..<count { try put(bits == 8 ? value : nibble(of: value, position)) }
            }
        }
        return indices
    }

    private mutating func literal(_ count: Int) throws(ImagingFailure) {
        let start = offset
        var value = 0
        for position in 0..<count {
            if bits == 8 || position % 2 == 0 { value = try next() }
            try put(bits == 8 ? value : nibble(of: value, position))
        }
        if (offset - start) % 2 != 0 { _ = try next() }
    }

    private mutating func skip(_ columns: Int, _ rows: Int) throws(ImagingFailure) {
        (x, y) = (x + columns, y + rows)
        guard x <= size.width, y < size.height else { throw .bitmap("runs") }
    }

    private mutating func put(_ index: Int) throws(ImagingFailure) {
        guard y < size.height else { throw .bitmap("runs") }
        guard x < size.width else { return }
        indices[y * size.width + x] = UInt8(truncatingIfNeeded: index)
        x += 1
    }

    private mutating func next() throws(ImagingFailure) -> Int {
        let byte = try bytes.little(at: offset, 1)
        offset += 1
        return byte
    }

    /// The high nibble comes first.
    private func nibble(of byte: Int, _ position: Int) -> Int { position % 2 == 0 ? byte >> 4 : byte & 15 }
}
