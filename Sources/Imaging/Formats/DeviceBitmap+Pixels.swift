// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
package import Recipes

extension DeviceBitmap {
    /// Three samples a pixel, rows from the top.
    package func rgb() throws(ImagingFailure) -> [UInt8] { try samples(3) }

    /// Four samples a pixel, rows from the top. If alpha is 0 everywhere, the program that wrote the picture did not
    /// know alpha: an icon then takes alpha from its mask, and a file is opaque.
    package func rgba() throws(ImagingFailure) -> [UInt8] {
        var samples = try samples(4)
        let isVisible = (0..<size.area).contains { samples[$0 * 4 + 3] != 0 }
        guard !isVisible else { return samples }
        if isIcon {
            try readMask(into: &samples)
        } else {
            for pixel in 0..<size.area { samples[pixel * 4 + 3] = 255 }
        }
        return samples
    }

    private func readMask(into samples: inout [UInt8]) throws(ImagingFailure) {
        let start = pixels + size.height * Self.stride(size.width, bits)
        let stride = Self.stride(size.width, 1)
        for y in 0..<size.height {
            let row = start + stored(y) * stride
            for x in 0..<size.width {
                let isClear = try bytes.little(at: row + x / 8, 1) & 0x80 >> (x % 8) != 0
                samples[(y * size.width + x) * 4 + 3] = isClear ? 0 : 255
            }
        }
    }

    /// The index in the file of row `y`, which counts from the top.
    private func stored(_ y: Int) -> Int { isTopDown ? y : size.height - 1 - y }

    /// - Parameter bands: samples a pixel, 3 or 4. The fourth is alpha, and 0 if the bitmap has no alpha
    ///   mask.
    private func samples(_ bands: Int) throws(ImagingFailure) -> [UInt8] {
        // One array for all, because an array for each pixel takes five times as long.
        var samples = [UInt8](repeating: 0, count: size.area * bands)
        if isPacked {
            try readRuns(into: &samples, bands)
        } else if bits <= 8 {
            try readIndices(into: &samples, bands)
        } else {
            readColours(into: &samples, bands)
        }
        return samples
    }

    /// The offset of row `y`. All rows were checked to be in the file.
    private func row(_ y: Int) -> Int { pixels + stored(y) * Self.stride(size.width, bits) }

    private func readColours(into samples: inout [UInt8], _ bands: Int) {
        let (file, masks, isMasked, length) = (Span<UInt8>(_unsafeBytes: bytes), masks, bits != 24, bits / 8)
        var place = 0
        for y in 0..<size.height {
            var offset = row(y)
            for _ in 0..<size.width {
                if isMasked {
                    var pixel: UInt32 = 0
                    for index in 0..<length { pixel |= UInt32(file[offset + index]) << UInt32(8 * index) }
                    for band in 0..<bands { samples[place + band] = Self.level(pixel, masks[band]) }
                } else {
                    for band in 0..<3 { samples[place + band] = file[offset + 2 - band] }
                }
                place += bands
                offset += length
            }
        }
    }

    private func readIndices(into samples: inout [UInt8], _ bands: Int) throws(ImagingFailure) {
        let (file, colours) = (Span<UInt8>(_unsafeBytes: bytes), palette.flatMap(\.self))
        let (perByte, most) = (8 / bits, 1 << bits - 1)
        var place = 0
        for y in 0..<size.height {
            let row = row(y)
            for x in 0..<size.width {
                // The first pixel of a byte is in its highest bits.
                let (byte, number) = x.quotientAndRemainder(dividingBy: perByte)
                let index = Int(file[row + byte]) >> (8 - bits * (number + 1)) & most
                try Self.put(index, of: colours, into: &samples, at: place)
                place += bands
            }
        }
    }

    private func readRuns(into samples: inout [UInt8], _ bands: Int) throws(ImagingFailure) {
        var runs = BitmapRuns(bytes, from: pixels, size: size, bits: bits)
        let (indices, colours) = (try runs.unpacked(), palette.flatMap(\.self))
        var place = 0
        for y in 0..<size.height {
            let row = stored(y) * size.width
            for x in 0..<size.width {
                try Self.put(Int(indices[row + x]), of: colours, into: &samples, at: place)
                place += bands
            }
        }
    }

    /// - Parameter colours: the palette, three samples a colour.
    @inline(__always)
    private static func put(
        _ index: Int, of colours: [UInt8], into samples: inout [UInt8], at place: Int
    ) throws(ImagingFailure) {
        guard index * 3 < colours.count else { throw .bitmap("colour") }
        for band in 0..<3 { samples[place + band] = colours[index * 3 + band] }
    }

    /// The bits under the mask, stretched to 0…255.
    private static func level(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
        guard mask != 0 else { return 0 }
        let shift = UInt32(mask.trailingZeroBitCount)
        let (value, most) = (UInt64(pixel & mask) >> UInt64(shift), UInt64(mask >> shift))
        return UInt8(clamping: (value * 255 + most / 2) / most)
    }
}
