// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Planar

/// The way from a stored picture to the upright one (EXIF 2.32 §4.6.5.1, Orientation): rows and columns may be
/// exchanged, and each may be read from its start or from its end.
struct Orientation: Hashable {
    /// True if a row of the upright picture is a column of the stored one.
    let isTransposed: Bool
    /// True if stored rows are read from right to left.
    let isReversed: Bool
    /// True if the stored rows are read from the bottom up.
    let isUpsideDown: Bool

    static let upright = Orientation(exif: 1)

    /// - Parameter exif: 1 to 8.
    init(exif: Int) {
        isTransposed = exif >= 5
        isReversed = [2, 3, 7, 8].contains(exif)
        isUpsideDown = [3, 4, 6, 7].contains(exif)
    }

    /// Where a part of the upright picture lies in the stored one.
    /// - Parameters:
    ///   - part: the part's size; its left top corner is at `x` and `y`.
    ///   - stored: the size of the whole stored picture.
    func window(of part: PixelSize, x: Int, y: Int, in stored: PixelSize) -> PlaneWindow {
        let size = isTransposed ? part.lyingDown : part
        let (across, down) = isTransposed ? (y, x) : (x, y)
        return PlaneWindow(
            x: isReversed ? stored.width - across - size.width : across,
            y: isUpsideDown ? stored.height - down - size.height : down,
            width: size.width, height: size.height, isReversed: isReversed, isUpsideDown: isUpsideDown)
    }

    /// Turns the samples of a stored plane upright.
    /// - Parameter size: the size of the upright plane.
    func turned(_ samples: [UInt8], to size: PixelSize) -> [UInt8] {
        let stored = isTransposed ? size.lyingDown : size
        // The index of the stored sample that becomes the upright left top corner, and the distance between
        // samples on either axis.
        let corner =
            (isUpsideDown ? stored.height - 1 : 0) * stored.width + (isReversed ? stored.width - 1 : 0)
        let (column, row) = (isReversed ? -1 : 1, isUpsideDown ? -stored.width : stored.width)
        let (right, down) = isTransposed ? (row, column) : (column, row)
        return [UInt8](unsafeUninitializedCapacity: size.area) { upright, count in
            // Works in squares, so that both sides stay in the processor's caches.
            for top in stride(from: 0, to: size.height, by: Self.side) {
                for left in stride(from: 0, to: size.width, by: Self.side) {
                    for y in top..<min(top + Self.side, size.height) {
                        var place = corner + left * right + y * down
                        for x in left..<min(left + Self.side, size.width) {
                            upright[y * size.width + x] = samples[place]
                            place += right
                        }
                    }
                }
            }
            count = size.area
        }
    }

    private static let side = 32
}
