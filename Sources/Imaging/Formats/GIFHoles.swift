// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

/// Opens the holes of a GIF: what a first frame smaller than the canvas leaves free, what is cleared after a frame (disposal 2),
/// and an empty canvas that is restored after a frame (disposal 3, which some programs write as 4). libnsgif fills holes with the
/// background's colour or black unless the frame has a transparent index. So the frame gets transparent index 255, which codes of
/// fewer than 8 bits never name. With 8 bits any index may be in use, so such a frame stays as it is.
struct GIFHoles {
    private let file: UnsafeMutableRawBufferPointer
    private var canvas: PixelSize
    /// The offset of the next frame's flags; nil if it has none.
    var control: Int?
    /// The offset of the last frame's flags if it leaves holes.
    private var cleared: Int?
    private var isFirst = true
    private var isEmpty = true

    /// - Parameter canvas: the logical screen size in the file.
    init(in file: UnsafeMutableRawBufferPointer, on canvas: PixelSize) {
        self.file = file
        self.canvas = canvas
    }

    /// Opens the holes that this frame shows, and remembers whether it leaves others. Called for each frame in order.
    mutating func pass(frameAt offset: Int, codeSize: UInt8) {
        let flags = control.map { file[$0] } ?? 0
        let isOpaque = flags & 1 == 0
        let mayOpen = isOpaque && codeSize < 8
        let frame = GIFContainer.area(UnsafeRawBufferPointer(file), ofFrameAt: offset)
        let end = PixelSize(width: frame.x + frame.width, height: frame.y + frame.height)
        if isFirst { canvas = GIFHeader.canvas(canvas, firstFrame: end) }
        let covers =
            frame.x == 0 && frame.y == 0 && frame.width >= canvas.width && frame.height >= canvas.height
        if isFirst, !covers, mayOpen { open(control) }
        let clears = flags >> 2 & 7 == 2
        let restores = [3, 4].contains(flags >> 2 & 7)
        // A frame with disposal 3 disappears again, so the holes that it covered become visible after it.
        if !isFirst, !covers || !isOpaque || restores { open(cleared) }
        cleared = mayOpen && (clears || restores && isEmpty) ? control : nil
        isEmpty = isEmpty && (clears || restores) || clears && covers
        (control, isFirst) = (nil, false)
    }

    /// Sets the transparency flag of a graphic control extension, and its index to 255.
    private func open(_ control: Int?) {
        guard let control, control + 3 < file.count else { return }
        file[control] |= 1
        file[control + 3] = 255
    }
}
