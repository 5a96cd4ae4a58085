// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// A rectangle of whole pixels, from the top left corner of a picture.
struct PixelArea: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var size: PixelSize { PixelSize(width: width, height: height) }

    /// The smallest one that holds both.
    func union(_ other: PixelArea?) -> PixelArea {
        guard let other else { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelArea(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}
