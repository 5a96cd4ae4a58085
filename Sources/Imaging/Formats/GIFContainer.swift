// SPDX-License-Identifier: Apache-2.0
//
// GIF89a: 6 bytes of signature, 7 of screen, its colour table; then blocks: 2C is a frame, 21 an extension, 3B the
// end. An extension's label names its kind: F9 timing and transparency of the next frame, FF application data, FE a
// comment, 01 text that no program shows.

internal import ImageHeaders
internal import Recipes

/// Parses a GIF file as blocks, to patch it for libnsgif and to find the parts that make the picture.
package enum GIFContainer {
    /// Makes libnsgif show holes as transparent, as browsers do.
    package static func openHoles(_ file: UnsafeMutableRawBufferPointer) {
        let bytes = UnsafeRawBufferPointer(file)
        guard let canvas = screen(bytes) else { return }
        var holes = GIFHoles(in: file, on: canvas)
        var offset = 13 + GIFHeader.colourTable(file[10])
        while offset + 11 < file.count, file[offset] == 0x21 || file[offset] == 0x2C {
            let data: Int
            if file[offset] == 0x2C {
                data = offset + 11 + GIFHeader.colourTable(file[offset + 9])
                guard data <= file.count else { return }
                holes.pass(frameAt: offset, codeSize: file[data - 1])
            } else {
                data = blocks(bytes, ofExtensionAt: offset)
                if file[offset + 1] == 0xF9, file[offset + 2] >= 4 { holes.control = offset + 3 }
            }
            guard let end = endOfBlocks(bytes, from: data) else { return }
            offset = end
        }
    }

    /// Makes the screen a pixel wider if libnsgif would ignore its size. libnsgif takes the sizes of old monitors for a
    /// mistake of the writing program, and makes the canvas as large as the first frame, which no browser does.
    /// - Returns: the true width; nil if the file is unchanged.
    package static func widenScreen(_ file: UnsafeMutableRawBufferPointer) -> Int? {
        let monitors = [(640, 480), (640, 512), (800, 600), (1024, 768), (1280, 1024), (1600, 1200)]
        guard let screen = screen(UnsafeRawBufferPointer(file)),
            monitors.contains(where: { $0 == (screen.width, screen.height) })
        else { return nil }
        setWidth(file, screen.width + 1)
        return screen.width
    }

    /// The logical screen size in the file; nil if the file is too short. Programs use this size, or extend it by rules of their
    /// own if the first frame reaches beyond it.
    static func screen(_ file: UnsafeRawBufferPointer) -> PixelSize? {
        guard file.count > 13 else { return nil }
        return PixelSize(width: number(file, 6), height: number(file, 8))
    }

    /// The area of the first frame; nil if the blocks before it are damaged.
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

    static func area(_ file: UnsafeRawBufferPointer, ofFrameAt offset: Int) -> PixelArea {
        PixelArea(
            x: number(file, offset + 1), y: number(file, offset + 3), width: number(file, offset + 5),
            height: number(file, offset + 7))
    }

    /// The offset from which libnsgif reads an extension's sub-blocks: it skips the first sub-block of all but comments, even if
    /// its length is 0.
    private static func blocks(_ file: UnsafeRawBufferPointer, ofExtensionAt offset: Int) -> Int {
        offset + 2 + (file[offset + 1] == 0xFE ? 0 : 1 + Int(file[offset + 2]))
    }

    /// Sets the width of the screen.
    package static func setWidth(_ file: UnsafeMutableRawBufferPointer, _ width: Int) {
        (file[6], file[7]) = (UInt8(truncatingIfNeeded: width), UInt8(truncatingIfNeeded: width >> 8))
    }

    private static func number(_ file: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(file[offset]) | Int(file[offset + 1]) << 8
    }

    /// The parts of the file that make the picture and its timing.
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
                // Behind an empty first sub-block libnsgif continues within the extension, whereas other programs end it
                // there and may see other frames.
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

    /// Whether the block is copied. Of application extensions, only those with the loop count are.
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

    /// The offset behind a chain of sub-blocks: each has a length byte and as many bytes; a length of 0 ends
    /// the chain.
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
