// SPDX-License-Identifier: Apache-2.0
//
// GIF89a: 6 bytes of signature, 7 of screen, its colour table; then blocks: 2C frame, 21 extension, 3B end. An
// extension's label says what it is: F9 timing and transparency of the next frame, FF an application's, FE a comment,
// 01 text that nothing shows.

internal import ImageHeaders
internal import Recipes

/// A GIF file as blocks: patches it for libnsgif, and finds the parts that pixels need.
package enum GIFContainer {
    /// Tells libnsgif of holes that it does not see: what a first frame smaller than the canvas leaves free, what is
    /// cleared after a frame (disposal 2), and an empty canvas that comes back after one (disposal 3, which some programs
    /// write as 4). Browsers show holes as transparent. libnsgif gives them the background's colour or black, unless the frame
    /// says that it has a transparent index. So the frame is given one, 255, which codes of fewer than 8 bits never name. With
    /// 8 bits any index may be in use, and the file stays as it is.
    package static func openHoles(_ file: UnsafeMutableRawBufferPointer) {
        let bytes = UnsafeRawBufferPointer(file)
        guard var canvas = screen(bytes) else { return }
        var offset = 13 + GIFHeader.colourTable(file[10])
        // Where the flags of the next frame are, and those of the last one if it leaves holes.
        var (control, cleared): (Int?, Int?)
        var (isFirst, isEmpty) = (true, true)
        while offset + 11 < file.count, file[offset] == 0x21 || file[offset] == 0x2C {
            let data: Int
            if file[offset] == 0x2C {
                data = offset + 11 + GIFHeader.colourTable(file[offset + 9])
                guard data <= file.count else { return }
                let flags = control.map { file[$0] } ?? 0
                let isOpaque = flags & 1 == 0
                let mayOpen = isOpaque && file[data - 1] < 8
                let frame = area(bytes, ofFrameAt: offset)
                let end = PixelSize(width: frame.x + frame.width, height: frame.y + frame.height)
                if isFirst { canvas = GIFHeader.canvas(canvas, firstFrame: end) }
                let covers =
                    frame.x == 0 && frame.y == 0 && frame.width >= canvas.width
                    && frame.height >= canvas.height
                if isFirst, !covers, mayOpen { open(file, at: control) }
                let clears = flags >> 2 & 7 == 2
                let restores = [3, 4].contains(flags >> 2 & 7)
                // What such a frame brings back is looked at again behind it.
                if !isFirst, !covers || !isOpaque || restores { open(file, at: cleared) }
                cleared = mayOpen && (clears || restores && isEmpty) ? control : nil
                isEmpty = isEmpty && (clears || restores) || clears && covers
                (control, isFirst) = (nil, false)
            } else {
                data = blocks(bytes, ofExtensionAt: offset)
                if file[offset + 1] == 0xF9, file[offset + 2] >= 4 { control = offset + 3 }
            }
            guard let end = endOfBlocks(bytes, from: data) else { return }
            offset = end
        }
    }

    /// Makes the screen a pixel wider if libnsgif would not believe its size: it takes those of old monitors for a mistake
    /// of the program that wrote the file, and makes the canvas as large as the first frame. No browser does.
    /// - Returns: the true width; nil if nothing was done.
    package static func widenScreen(_ file: UnsafeMutableRawBufferPointer) -> Int? {
        let monitors = [(640, 480), (640, 512), (800, 600), (1024, 768), (1280, 1024), (1600, 1200)]
        guard let screen = screen(UnsafeRawBufferPointer(file)),
            monitors.contains(where: { $0 == (screen.width, screen.height) })
        else { return nil }
        setWidth(file, screen.width + 1)
        return screen.width
    }

    /// The screen that the file tells of; nil if the file is too short. Programs that show the file go by it, or by rules of their
    /// own where the first frame reaches beyond.
    static func screen(_ file: UnsafeRawBufferPointer) -> PixelSize? {
        guard file.count > 13 else { return nil }
        return PixelSize(width: number(file, 6), height: number(file, 8))
    }

    /// Where the first frame is drawn; nil if the blocks before it are damaged.
    static func firstFrame(_ file: UnsafeRawBufferPointer) -> PixelArea? {
        guard file.count > 13 else { return nil }
        var offset = 13 + GIFHeader.colourTable(file[10])
        while offset + 11 < file.count, file[offset] != 0x2C {
            guard file[offset] == 0x21,
                let end = endOfBlocks(file, from: blocks(file, ofExtensionAt: offset))
            else { return nil }
            offset = end
        }
        return offset + 11 < file.count ? area(file, ofFrameAt: offset) : nil
    }

    private static func area(_ file: UnsafeRawBufferPointer, ofFrameAt offset: Int) -> PixelArea {
        PixelArea(
            x: number(file, offset + 1), y: number(file, offset + 3), width: number(file, offset + 5),
            height: number(file, offset + 7))
    }

    /// Where the blocks begin that libnsgif looks at for the end: it passes over the first sub-block of all but comments, though
    /// its length be 0.
    private static func blocks(_ file: UnsafeRawBufferPointer, ofExtensionAt offset: Int) -> Int {
        offset + 2 + (file[offset + 1] == 0xFE ? 0 : 1 + Int(file[offset + 2]))
    }

    /// Sets the width of the screen.
    package static func setWidth(_ file: UnsafeMutableRawBufferPointer, _ width: Int) {
        (file[6], file[7]) = (UInt8(truncatingIfNeeded: width), UInt8(truncatingIfNeeded: width >> 8))
    }

    /// Sets the transparency flag of a graphic control extension, and its index to 255.
    private static func open(_ file: UnsafeMutableRawBufferPointer, at control: Int?) {
        guard let control, control + 3 < file.count else { return }
        file[control] |= 1
        file[control + 3] = 255
    }

    private static func number(_ file: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(file[offset]) | Int(file[offset + 1]) << 8
    }

    /// The parts that make the picture and its timing.
    static func picture(_ file: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard file.count > 13, file[0..<4].elementsEqual("GIF8".utf8) else { return nil }
        var offset = 13 + GIFHeader.colourTable(file[10])
        var parts = [0..<offset]
        while offset < file.count {
            let start = offset
            switch file[start] {
            case 0x3B:
                return parts + [start..<start + 1]
            case 0x2C:
                guard start + 10 < file.count else { return nil }
                offset = start + 11 + GIFHeader.colourTable(file[start + 9])
            case 0x21:
                // Behind an empty first sub-block libnsgif goes on, and other programs do not: they may see other frames.
                guard start + 2 < file.count, file[start + 1] == 0xFE || file[start + 2] != 0 else {
                    return nil
                }
                offset = start + 2
            default: return nil
            }
            guard let end = endOfBlocks(file, from: offset) else { return nil }
            if keeps(file, start..<end) { parts.append(start..<end) }
            offset = end
        }
        return nil
    }

    /// Whether the block stays: of those of applications, the ones that say how often an animation is played.
    private static func keeps(_ file: UnsafeRawBufferPointer, _ block: Range<Int>) -> Bool {
        guard file[block.lowerBound] == 0x21 else { return true }
        switch file[block.lowerBound + 1] {
        case 0xF9: return true
        case 0xFF:
            let name = file[block].dropFirst(3).prefix(11)
            return GIFHeader.loopExtensions.contains { name.elementsEqual($0.utf8) }
        default: return false
        }
    }

    /// Blocks of data: a length and as many bytes, up to a length of 0.
    private static func endOfBlocks(_ file: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var offset = start
        while offset < file.count {
            let length = Int(file[offset])
            offset += 1 + length
            if length == 0 { return offset }
        }
        return nil
    }
}
