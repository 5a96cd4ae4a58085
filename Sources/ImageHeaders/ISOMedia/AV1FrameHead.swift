// SPDX-License-Identifier: Apache-2.0
//
// The header of a frame (AV1 §5.9.2) up to the flag for a size of its own:
//
//     1 shows an existing frame, and nothing follows · 2 type: 0 is a key frame, 3 a switch frame, which has its own size
//     1 shown; then the time, if the sequence has one; or 1 showable
//     1 resilient, except for a switch frame and a shown key frame · 1 no update of statistics
//     1 screen content tools, and then 1 integer vectors, each if the sequence leaves the choice
//     the number of the frame, if frames have one · 1 own size

/// The facts in a sequence header that determine the form of its frames' headers.
struct AV1FrameHead {
    enum Choice { case never, always, byFrame }

    /// True if the sequence header was read up to these facts.
    var isKnown = false
    /// True for the short form of still pictures, whose frames have no size of their own.
    var isReduced = false
    /// Bits of each side in a frame's own size.
    var sides = (width: 0, height: 0)
    /// Bits of the time at which a frame is shown.
    var timeBits = 0
    /// Bits of a frame's number.
    var numberBits = 0
    var screenTools = Choice.byFrame
    var wholeVectors = Choice.byFrame

    /// The largest size that the frame may have in place of the sequence's; nil if it has the sequence's. dav1d does not check a
    /// frame's own size against the sequence's. Still pictures normally have no size of their own.
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
