// SPDX-License-Identifier: Apache-2.0

extension Pictures {
    /// TIFF 6.0 of RGB, big-endian and uncompressed: a page of one colour for each size, one strip a page.
    package static func tiff(
        _ pages: [(width: Int, height: Int)], colour: Colour = [200, 100, 50], orientation: Int = 1
    ) -> [UInt8] {
        var file = Array("MM\0*".utf8) + big(8, 4)
        for (index, page) in pages.enumerated() {
            let length = page.width * page.height * 3
            // The directory (2 + 9 × 12 + 4), the bits of the samples (6), the pixels.
            let bits = file.count + 114
            let end = bits + 6 + length + length % 2
            file += big(9, 2)
            for (tag, type, count, value) in [
                (256, 4, 1, page.width), (257, 4, 1, page.height), (258, 3, 3, bits), (259, 4, 1, 1),
                (262, 4, 1, 2), (273, 4, 1, bits + 6), (274, 3, 1, orientation << 16), (277, 4, 1, 3),
                (279, 4, 1, length),
            ] { file += big(tag, 2) + big(type, 2) + big(count, 4) + big(value, 4) }
            file += big(index == pages.count - 1 ? 0 : end, 4) + [0, 8, 0, 8, 0, 8]
            for _ in 0..<(page.width * page.height) { file += colour }
            if length % 2 == 1 { file.append(0) }
        }
        return file
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
