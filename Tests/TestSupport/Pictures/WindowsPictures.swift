// SPDX-License-Identifier: Apache-2.0

/// Pictures in the formats of Windows.
package enum WindowsPictures {
    /// A bitmap of one colour, 24 bits a pixel; a row has a multiple of 4 bytes.
    package static func bitmap(_ width: Int, _ height: Int) -> [UInt8] {
        let dib =
            little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
            + [UInt8](repeating: 0, count: 24)
            + (0..<width * height).flatMap { _ in [30, 120, 220] as [UInt8] }
        return Array("BM".utf8) + little(14 + dib.count, 4) + little(0, 4) + little(54, 4) + dib
    }

    /// With one picture, a PNG.
    /// - Parameter side: pixels, below 256.
    package static func icon(_ side: Int) -> [UInt8] {
        let picture = Pictures.gradient(side, side)
        return little(0, 2) + little(1, 2) + little(1, 2) + little(side, 1) + little(side, 1) + [0, 0]
            + little(1, 2) + little(32, 2) + little(picture.count, 4) + little(22, 4) + picture
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
