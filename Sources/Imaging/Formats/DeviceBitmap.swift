// SPDX-License-Identifier: Apache-2.0
//
// A Windows bitmap (BITMAPINFOHEADER and its kin), as it stands behind a file's header or in an icon:
//
//     header     12 bytes (16-bit sides), or 40 and more; [masks]; palette, 3 or 4 bytes a colour, blue first
//     pixels     rows of 1, 4, 8, 16, 24 or 32 bits a pixel, padded to 4 bytes, the lowest row first
//     mask       in an icon, whose header counts it in as height: a bit a pixel, 1 is transparent
//
// Packed rows (RLE) are not read. All bytes are asked for by offset and checked; nothing is computed from a number that was
// not compared with what the file can hold.

package import ImageHeaders

/// One bitmap, taken apart as far as its header and palette.
package struct DeviceBitmap {
    private let bytes: UnsafeRawBufferPointer
    /// Pixels of the picture alone: an icon's mask is not counted.
    package let size: PixelSize
    private let isTopDown: Bool
    private let bits: Int
    /// Of red, green, blue; for 16 and 32 bits.
    private let masks: [UInt32]
    /// Offset and count of the palette, bytes a colour.
    private let palette: (start: Int, count: Int, stride: Int)
    private let pixels: Int

    /// - Parameters:
    ///   - bytes: from the bitmap's header on.
    ///   - pixels: where the rows begin; nil if they stand behind the palette.
    ///   - isIcon: a mask follows.
    package init(
        _ bytes: UnsafeRawBufferPointer, pixels: Int? = nil, isIcon: Bool = false
    ) throws(ImagingFailure) {
        let length = try bytes.little(at: 0, 4)
        guard length == 12 || (40...256).contains(length) else { throw .bitmap("header") }
        let isCore = length == 12
        let width = try bytes.little(at: 4, isCore ? 2 : 4)
        let stored = try bytes.little(at: isCore ? 6 : 8, isCore ? 2 : 4)
        let height = isCore ? stored : Int(Int32(truncatingIfNeeded: stored).magnitude)
        bits = try bytes.little(at: isCore ? 10 : 14, 2)
        isTopDown = !isCore && Int32(truncatingIfNeeded: stored) < 0
        let rows = isIcon ? height / 2 : height
        guard (1...65_535).contains(width), (1...65_535).contains(rows), !isIcon || height % 2 == 0 else {
            throw .bitmap("size")
        }
        size = PixelSize(width: width, height: rows)
        let compression = isCore ? 0 : try bytes.little(at: 16, 4)
        // BI_RGB, BI_BITFIELDS and BI_ALPHABITFIELDS.
        let isMasked = [3, 6].contains(compression)
        guard [1, 4, 8, 16, 24, 32].contains(bits), compression == 0 || isMasked && [16, 32].contains(bits)
        else { throw .bitmap("coding") }
        masks =
            try isMasked
            ? Self.masks(in: bytes) : bits == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF_0000, 0xFF00, 0xFF]
        let behind = length + (isMasked && length == 40 ? (compression == 6 ? 16 : 12) : 0)
        palette = try Self.palette(in: bytes, from: behind, bits: bits, isCore: isCore)
        self.pixels = pixels ?? palette.start + palette.count * palette.stride
        self.bytes = bytes
        guard self.pixels >= 0, self.pixels <= bytes.count,
            rows * Self.stride(width, bits) <= bytes.count - self.pixels
        else { throw .bitmap("length") }
    }

    private static func masks(in bytes: UnsafeRawBufferPointer) throws(ImagingFailure) -> [UInt32] {
        var masks: [UInt32] = []
        for offset in [40, 44, 48] {
            masks.append(UInt32(truncatingIfNeeded: try bytes.little(at: offset, 4)))
        }
        return masks
    }

    private static func palette(
        in bytes: UnsafeRawBufferPointer, from start: Int, bits: Int, isCore: Bool
    ) throws(ImagingFailure) -> (start: Int, count: Int, stride: Int) {
        let told = isCore ? 0 : try bytes.little(at: 32, 4)
        let count = told == 0 && bits <= 8 ? 1 << bits : told
        guard count <= 256 else { throw .bitmap("palette") }
        return (start, count, isCore ? 3 : 4)
    }

    /// Bytes a row.
    private static func stride(_ width: Int, _ bits: Int) -> Int { (width * bits + 31) / 32 * 4 }

    // MARK: Pixels

    /// Three samples a pixel, rows from the top. Alpha is an icon's matter: programs write anything there.
    package func rgb() throws(ImagingFailure) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * 3)
        try eachPixel { (x, row) throws(ImagingFailure) in samples += try colour(x, row) }
        return samples
    }

    /// Four samples a pixel. Transparency is the fourth byte of a pixel, or what the mask says where that is nothing or
    /// all of it is 0.
    package func rgba() throws(ImagingFailure) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * 4)
        var hasAlpha = false
        try eachPixel { (x, row) throws(ImagingFailure) in
            let alpha = bits == 32 ? try bytes.little(at: row + x * 4 + 3, 1) : 0
            hasAlpha = hasAlpha || alpha != 0
            samples += try colour(x, row) + [UInt8(alpha)]
        }
        if !hasAlpha { try readMask(into: &samples) }
        return samples
    }

    private func readMask(into samples: inout [UInt8]) throws(ImagingFailure) {
        let start = pixels + size.height * Self.stride(size.width, bits)
        let stride = Self.stride(size.width, 1)
        for y in 0..<size.height {
            let row = start + (isTopDown ? y : size.height - 1 - y) * stride
            for x in 0..<size.width {
                let isClear = try bytes.little(at: row + x / 8, 1) & 0x80 >> (x % 8) != 0
                samples[(y * size.width + x) * 4 + 3] = isClear ? 0 : 255
            }
        }
    }

    /// `row`: where the row begins.
    private func eachPixel(
        _ work: (_ x: Int, _ row: Int) throws(ImagingFailure) -> Void
    ) throws(ImagingFailure) {
        for y in 0..<size.height {
            let row = pixels + (isTopDown ? y : size.height - 1 - y) * Self.stride(size.width, bits)
            for x in 0..<size.width { try work(x, row) }
        }
    }

    private func colour(_ x: Int, _ row: Int) throws(ImagingFailure) -> [UInt8] {
        switch bits {
        case 24: return try reversed(row + x * 3)
        case 16, 32:
            let pixel = UInt32(truncatingIfNeeded: try bytes.little(at: row + x * bits / 8, bits / 8))
            return masks.map { Self.level(pixel, $0) }
        default:
            let first = x * bits
            let byte = try bytes.little(at: row + first / 8, 1)
            let index = byte >> (8 - bits - first % 8) & (1 << bits - 1)
            guard index < palette.count else { throw .bitmap("colour") }
            return try reversed(palette.start + index * palette.stride)
        }
    }

    private func reversed(_ offset: Int) throws(ImagingFailure) -> [UInt8] {
        let blueFirst = try bytes.little(at: offset, 3)
        return [UInt8(blueFirst >> 16), UInt8(blueFirst >> 8 & 0xFF), UInt8(blueFirst & 0xFF)]
    }

    /// The bits under the mask, stretched to 0…255.
    private static func level(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
        guard mask != 0 else { return 0 }
        let shift = UInt32(mask.trailingZeroBitCount)
        let (value, most) = (UInt64(pixel & mask) >> UInt64(shift), UInt64(mask >> shift))
        return UInt8(clamping: (value * 255 + most / 2) / most)
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number of at most 4 bytes.
    func little(at offset: Int, _ size: Int) throws(ImagingFailure) -> Int {
        guard offset >= 0, offset <= count - size else { throw .bitmap("length") }
        return (0..<size).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}

extension ImagingFailure {
    /// Something of a bitmap or an icon is not as it should be, or is none of what is read here.
    static func bitmap(_ part: String) -> ImagingFailure { .damaged("bitmap: \(part)") }
}
