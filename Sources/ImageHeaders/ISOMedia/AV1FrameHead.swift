// SPDX-License-Identifier: Apache-2.0
//
// The header of a frame (AV1 §5.9.2) up to the bit that says whether it has a size of its own:
//
//     1 an existing frame is shown, and nothing follows · 2 type: 0 is a key frame, 3 a switch frame, which has its own size
//     1 shown; then the time, where the sequence says so; or 1 showable
//     1 resilient, but for a switch frame and a key frame that is shown · 1 no update of statistics
//     1 tools for screens, and then 1 whole vectors, each where the sequence leaves the choice
//     the number of the frame, where frames have one · 1 own size

/// What a sequence header tells of the headers of its frames.
struct AV1FrameHead {
    enum Choice { case never, always, byFrame }

    /// The sequence header was read as far as it tells of these.
    var isKnown = false
    /// A still's, with sizes and frames of the shortest form.
    var isReduced = false
    /// Bits of a frame's own sides.
    var sides = (width: 0, height: 0)
    /// Bits of the time at which a frame is shown.
    var timeBits = 0
    /// Bits of a frame's number.
    var numberBits = 0
    var screenTools = Choice.byFrame
    var wholeVectors = Choice.byFrame

    /// The largest size that the frame may have beside the sequence's, nil if it has that: dav1d does not hold a frame's own size
    /// against it. Pictures have none.
    func ownSize(of frame: Range<Int>, _ reader: inout HeaderReader) -> PixelSize? {
        if isReduced { return nil }
        if isKnown, (try? hasOwnSize(frame, &reader)) == false { return nil }
        return PixelSize(width: 1 << sides.width, height: 1 << sides.height)
    }

    private func hasOwnSize(
        _ frame: Range<Int>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Bool {
        var bits = HeaderBits(frame)
        if try bits.flag(&reader) { return false }
        let type = try bits.take(2, &reader)
        let isShown = try bits.flag(&reader)
        try bits.skip(isShown ? timeBits : 1, &reader)
        if type == 3 { return true }
        try bits.skip(type == 0 && isShown ? 1 : 2, &reader)
        let hasTools = try screenTools == .byFrame ? bits.flag(&reader) : screenTools == .always
        if hasTools, wholeVectors == .byFrame { try bits.skip(1, &reader) }
        try bits.skip(numberBits, &reader)
        return try bits.flag(&reader)
    }
}
