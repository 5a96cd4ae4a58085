// SPDX-License-Identifier: Apache-2.0
//
// A frame of an animation, at the beginning of its chunk (RFC 9649 §2.7.1.1):
//
//     x ÷ 2, y ÷ 2, width − 1, height − 1, duration    24 bits each
//     flags                                            lowest bit: the frame's area is cleared before the next frame
//
// The canvas is transparent at the beginning, and wherever a frame was cleared.

/// The canvas of an animated WebP, reduced to the areas of its frames.
struct WebPCanvas {
    private struct Area {
        let x: Range<Int>
        let y: Range<Int>

        func covers(_ other: Area) -> Bool { x.covers(other.x) && y.covers(other.y) }
    }

    /// The area that is transparent until a frame covers it.
    private var hole: Area?
    /// True if a frame was shown while a part of the canvas beside it was transparent.
    private(set) var wasSeenThrough = false

    /// - Parameter size: must not be empty.
    init(_ size: PixelSize) { hole = Area(x: 0..<size.width, y: 0..<size.height) }

    /// - Parameter frame: the range of the chunk's data.
    mutating func show(_ reader: inout HeaderReader, frame: Range<Int>) throws(ImageHeaderError) {
        let start = frame.lowerBound
        guard frame.count >= 16 else { throw .damaged }
        // Cannot trap: the numbers have 24 bits each.
        let (x, y) = (2 * (try reader.little24(at: start)), 2 * (try reader.little24(at: start + 3)))
        let area = Area(
            x: x..<(x + (try reader.little24(at: start + 6)) + 1),
            y: y..<(y + (try reader.little24(at: start + 9)) + 1))
        if let hole, !area.covers(hole) { wasSeenThrough = true }
        hole = try reader.byte(at: start + 15) & 1 == 0 ? nil : area
    }
}

extension Range<Int> {
    fileprivate func covers(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && upperBound >= other.upperBound
    }
}
