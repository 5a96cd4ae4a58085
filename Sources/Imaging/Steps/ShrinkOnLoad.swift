// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// How small a loader may make the picture, so that the resize has enough left to do its work well.
enum ShrinkOnLoad {
    /// At which part of the size to decode a JPEG: 8, 4, 2 or 1.
    static func jpeg(from stored: PixelSize, to target: PixelSize) -> Int {
        let factor = min(
            Double(stored.width) / Double(target.width), Double(stored.height) / Double(target.height))
        return [8, 4, 2].first { factor >= 2 * Double($0) } ?? 1
    }

    /// At which scale to decode a WebP: the size that is wanted, on the axis that shrinks less.
    static func webp(from stored: PixelSize, to target: PixelSize) -> Double {
        let horizontal = Double(target.width) / Double(stored.width)
        let vertical = Double(target.height) / Double(stored.height)
        return min(1, max(horizontal, vertical))
    }

    /// Whether an embedded thumbnail shows the whole picture and is larger than what is wanted.
    static func canReplace(_ picture: PixelSize, by thumbnail: PixelSize, for target: PixelSize) -> Bool {
        guard thumbnail.width > target.width, thumbnail.height > target.height, thumbnail.width < picture.width
        else { return false }
        // The same shape, up to a pixel of rounding.
        let height = Double(picture.height) * Double(thumbnail.width) / Double(picture.width)
        return abs(height - Double(thumbnail.height)) <= 1
    }
}
