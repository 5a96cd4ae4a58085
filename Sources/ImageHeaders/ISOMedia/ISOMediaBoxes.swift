// SPDX-License-Identifier: Apache-2.0

extension ISOMediaHeader {
    struct Box {
        var type: String
        var content: Range<Int>
    }

    /// The most boxes in one container. Real files have some dozens of properties; the bound limits the
    /// memory for a file of empty boxes.
    private static let mostBoxes = 4_096

    static func boxes(
        in range: Range<Int>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> [Box] {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            guard boxes.count < mostBoxes else { throw .damaged }
            let box = try box(at: offset, within: range, &reader)
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }

    /// The content of the first box of a type; nil without one. Boxes behind it are not read.
    static func child(
        _ type: String, in range: Range<Int>, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Range<Int>? {
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            let box = try box(at: offset, within: range, &reader)
            if box.type == type { return box.content }
            offset = box.content.upperBound
        }
        return nil
    }

    /// - Parameter isCut: a box that is longer than the range is cut to it.
    static func box(
        at offset: Int, within range: Range<Int>, isCut: Bool = false, _ reader: inout HeaderReader
    ) throws(ImageHeaderError) -> Box {
        let type = String(decoding: try reader.bytes(at: offset + 4, count: 4), as: UTF8.self)
        let rest = range.upperBound - offset
        var (head, size) = (8, try reader.big32(at: offset))
        if size == 1 { (head, size) = (16, try reader.number(at: offset + 8, size: 8, bigEndian: true)) }
        if size == 0 || isCut && size > rest { size = rest }
        guard size >= head, size <= rest else { throw .damaged }
        return Box(type: type, content: (offset + head)..<(offset + size))
    }
}
