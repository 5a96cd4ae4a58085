// SPDX-License-Identifier: Apache-2.0
//
// A Windows bitmap (BITMAPINFOHEADER and its relatives), as it follows a file's header or lies in an icon:
//
//     header     12 bytes (16-bit sides), or 16 and more; [masks]; palette, 3 or 4 bytes a colour, blue first
//     pixels     rows of 1, 2, 4, 8, 16, 24 or 32 bits a pixel, padded to 4 bytes, the lowest row first; or runs of
//                4 or 8 bits a pixel (`BitmapRuns`)
//     mask       in an icon, whose header has twice the height for it: a bit a pixel, 1 is transparent
//
// Every read checks its offset, and every number is checked against the file's length before anything is computed from
// it.

package import ImageHeaders
package import Recipes

/// One bitmap, of which the header and the palette are parsed.
package struct DeviceBitmap {
    let bytes: UnsafeRawBufferPointer
    /// The size of the picture alone; an icon's mask is not counted.
    package let size: PixelSize
    let isTopDown: Bool
    let bits: Int
    let isIcon: Bool
    /// The bit masks of red, green, blue and alpha, for 16 and 32 bits a pixel. 0 if a component is missing.
    let masks: [UInt32]
    /// The colours of the palette as red, green, blue, for at most 8 bits a pixel; only those that the file
    /// holds.
    let palette: [[UInt8]]
    /// The offset of the rows or the runs.
    let pixels: Int
    let isPacked: Bool

    /// - Parameters:
    ///   - bytes: the bitmap from its header on.
    ///   - pixels: the offset of the rows; nil if they follow the palette.
    ///   - isIcon: true if a mask follows the rows.
    package init(
        _ bytes: UnsafeRawBufferPointer, pixels: Int? = nil, isIcon: Bool = false
    ) throws(ImagingFailure) {
        let header = try BitmapFields(bytes)
        let stored = header.isCore ? try header[6, 2] : try header[8, 4]
        let height = header.isCore ? stored : Int(Int32(truncatingIfNeeded: stored).magnitude)
        let (width, rows) = (try header.isCore ? header[4, 2] : header[4, 4], isIcon ? height / 2 : height)
        guard (1...65_535).contains(width), (1...65_535).contains(rows), !isIcon || height % 2 == 0 else {
            throw .bitmap("size")
        }
        size = PixelSize(width: width, height: rows)
        bits = try header.isCore ? header[10, 2] : header[14, 2]
        isTopDown = !header.isCore && Int32(truncatingIfNeeded: stored) < 0
        let coding = try header.coding(of: bits)
        isPacked = coding == .runs
        guard !isPacked || !isIcon else { throw .bitmap("coding") }
        masks = coding == .masked ? try header.masks() : Self.usualMasks(bits, isIcon: isIcon)
        let (start, told) = (try header.end(coding), try header.colours(of: bits))
        palette = bits > 8 ? [] : Self.palette(in: bytes, from: start, told, stride: header.colourSize)
        self.pixels = pixels ?? start + told * header.colourSize
        self.bytes = bytes
        self.isIcon = isIcon
        guard self.pixels >= 0, self.pixels <= bytes.count,
            isPacked || rows * Self.stride(width, bits) <= bytes.count - self.pixels
        else { throw .bitmap("length") }
    }

    /// The masks of a bitmap that has none of its own. The fourth byte of a pixel is alpha in an icon; in a
    /// file it is ignored, because programs write anything into it.
    private static func usualMasks(_ bits: Int, isIcon: Bool) -> [UInt32] {
        bits == 16
            ? [0x7C00, 0x3E0, 0x1F, 0]
            : [0xFF_0000, 0xFF00, 0xFF, isIcon && bits == 32 ? 0xFF00_0000 : 0]
    }

    private static func palette(
        in bytes: UnsafeRawBufferPointer, from start: Int, _ count: Int, stride: Int
    ) -> [[UInt8]] {
        (0..<min(count, 256)).compactMap { try? bytes.blueFirst(at: start + $0 * stride) }
    }

    /// The length of a row in bytes.
    static func stride(_ width: Int, _ bits: Int) -> Int { (width * bits + 31) / 32 * 4 }

    /// True if the file's pixels have alpha.
    package var hasAlpha: Bool { masks[3] != 0 }
}

/// The fields of a bitmap's header by offset. Fields behind the header's end are 0.
private struct BitmapFields {
    private let bytes: UnsafeRawBufferPointer
    private let length: Int

    enum Coding { case plain, masked, runs }

    init(_ bytes: UnsafeRawBufferPointer) throws(ImagingFailure) {
        self.bytes = bytes
        length = try bytes.little(at: 0, 4)
        guard length == 12 || (16...256).contains(length) else { throw .bitmap("header") }
    }

    var isCore: Bool { length == 12 }

    /// The length of a palette's colour in bytes.
    var colourSize: Int { isCore ? 3 : 4 }

    subscript(offset: Int, size: Int) -> Int {
        get throws(ImagingFailure) { offset + size <= length ? try bytes.little(at: offset, size) : 0 }
    }

    private var compression: Int {
        get throws(ImagingFailure) { try isCore ? 0 : self[16, 4] }
    }

    func coding(of bits: Int) throws(ImagingFailure) -> Coding {
        switch try (compression, bits) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .plain
        // BI_RLE8 and BI_RLE4.
        case (1, 8), (2, 4): return .runs
        // BI_BITFIELDS and BI_ALPHABITFIELDS. In OS/2's header of 64 bytes these numbers mean other codings.
        case (3, 16), (3, 32), (6, 16), (6, 32):
            if length >= 40, length != 64 { return .masked }
        default: break
        }
        throw .bitmap("coding")
    }

    /// The masks have the same offset in every file: the longer headers contain it, and the masks follow a header of 40 bytes
    /// directly.
    func masks() throws(ImagingFailure) -> [UInt32] {
        let compression = try compression
        let hasAlpha = length >= 56 || compression == 6
        var masks: [UInt32] = []
        for offset in hasAlpha ? [40, 44, 48, 52] : [40, 44, 48] {
            masks.append(UInt32(truncatingIfNeeded: try bytes.little(at: offset, 4)))
        }
        return hasAlpha ? masks : masks + [0]
    }

    /// The offset of the palette.
    func end(_ coding: Coding) throws(ImagingFailure) -> Int {
        guard coding == .masked else { return length }
        return try max(length, compression == 6 ? 56 : 52)
    }

    /// The number of colours in the palette. A bitmap of more than 8 bits may have one too, which its pixels
    /// do not use.
    func colours(of bits: Int) throws(ImagingFailure) -> Int {
        let told = try isCore ? 0 : self[32, 4]
        return told == 0 && bits <= 8 ? 1 << bits : told
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number of at most 4 bytes.
    func little(at offset: Int, _ size: Int) throws(ImagingFailure) -> Int {
        guard offset >= 0, offset <= count - size else { throw .bitmap("length") }
        return (0..<size).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }

    /// Red, green and blue from bytes that are stored blue first.
    func blueFirst(at offset: Int) throws(ImagingFailure) -> [UInt8] {
        let blueFirst = try little(at: offset, 3)
        return [UInt8(blueFirst >> 16), UInt8(blueFirst >> 8 & 0xFF), UInt8(blueFirst & 0xFF)]
    }
}

extension ImagingFailure {
    /// The failure for this part of a bitmap or an icon: damaged, or of an unsupported kind.
    static func bitmap(_ part: String) -> ImagingFailure { .damaged("bitmap: \(part)") }
}
