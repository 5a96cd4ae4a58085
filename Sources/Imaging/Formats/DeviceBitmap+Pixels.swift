// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension DeviceBitmap {
    /// Three samples a pixel, rows from the top.
    package func rgb() throws(ImagingFailure) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * 3)
        try eachPixel { (colour, _) in samples += colour }
        return samples
    }

    /// Four samples a pixel, rows from the top. A picture whose alpha is 0 all over was written by a program that knows
    /// of none: an icon is seen through its mask then, and a file is opaque.
    package func rgba() throws(ImagingFailure) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(size.area * 4)
        var isVisible = false
        try eachPixel { (colour, alpha) in
            samples += colour
            samples.append(alpha)
            isVisible = isVisible || alpha != 0
        }
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

    /// The number of a row as the file counts them.
    private func stored(_ y: Int) -> Int { isTopDown ? y : size.height - 1 - y }

    private func eachPixel(
        _ work: (_ colour: [UInt8], _ alpha: UInt8) -> Void
    ) throws(ImagingFailure) {
        guard !isPacked else { return try eachPackedPixel(work) }
        let stride = Self.stride(size.width, bits)
        for y in 0..<size.height {
            let row = pixels + stored(y) * stride
            for x in 0..<size.width {
                switch bits {
                case 24: work(try bytes.blueFirst(at: row + x * 3), 0)
                case 16, 32:
                    let pixel = try bytes.little(at: row + x * bits / 8, bits / 8)
                    let levels = masks.map { Self.level(UInt32(truncatingIfNeeded: pixel), $0) }
                    work(Array(levels.prefix(3)), levels[3])
                default:
                    let byte = try bytes.little(at: row + x * bits / 8, 1)
                    let index = byte >> (8 - bits - x * bits % 8) & (1 << bits - 1)
                    guard index < palette.count else { throw .bitmap("colour") }
                    work(palette[index], 0)
                }
            }
        }
    }

    private func eachPackedPixel(
        _ work: (_ colour: [UInt8], _ alpha: UInt8) -> Void
    ) throws(ImagingFailure) {
        var runs = BitmapRuns(bytes, from: pixels, size: size, bits: bits)
        let indices = try runs.unpacked()
        for y in 0..<size.height {
            for index in indices[stored(y) * size.width..<(stored(y) + 1) * size.width] {
                guard Int(index) < palette.count else { throw .bitmap("colour") }
                work(palette[Int(index)], 0)
            }
        }
    }

    /// The bits under the mask, stretched to 0…255.
    private static func level(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
        guard mask != 0 else { return 0 }
        let shift = UInt32(mask.trailingZeroBitCount)
        let (value, most) = (UInt64(pixel & mask) >> UInt64(shift), UInt64(mask >> shift))
        return UInt8(clamping: (value * 255 + most / 2) / most)
    }
}
