// SPDX-License-Identifier: Apache-2.0

/// A bounds-checked reader of a source, in blocks. Every read is checked against the length, and all reads
/// together against a budget, so a parser that uses it always ends: it returns, or throws `.damaged`.
struct HeaderReader {
    /// Bytes of a block. One block holds the whole header of most files, and walks over chunks of a few KiB
    /// stay sequential.
    private static let blockSize = 16 * 1_024
    /// The most bytes that may be loaded and read in all. Only counting an animation's frames needs to read
    /// the whole file. The budget limits scattered or overlapping directories to a fraction of a second.
    static let budget = 64 * 1_024 * 1_024
    /// The most bytes that may be looked at one by one, which takes longer than loading them.
    static let mostLooks = 8 * 1_024 * 1_024
    /// Blocks that are kept besides the current one: a HEIF has three lists with an entry for each tile, which are read
    /// alternately with the tiles.
    private static let mostKept = 3
    /// The cost, in bytes of the budget, of returning to a kept block.
    private static let turn = 64

    let length: Int
    private let source: any HeaderSource
    private var block: [UInt8] = []
    private var blockStart = 0
    /// The most recently used block is the last.
    private var kept: [(start: Int, bytes: [UInt8])] = []
    private var budgetLeft: Int
    private var looksLeft = Self.mostLooks

    init(_ source: any HeaderSource, budget: Int = Self.budget) {
        self.source = source
        length = source.length
        budgetLeft = budget
    }

    /// Reads with the budget that another reader has left.
    init(_ source: any HeaderSource, after other: HeaderReader) {
        self.init(source, budget: other.budgetLeft)
        looksLeft = other.looksLeft
    }

    /// Reads parts of the file as if they were joined. The bytes read count towards this reader's budget.
    mutating func reading<Value>(
        _ parts: [Range<Int>], _ work: (inout HeaderReader) throws(ImageHeaderError) -> Value
    ) throws(ImageHeaderError) -> Value {
        var joined = HeaderReader(JoinedParts(source, parts), after: self)
        defer { (budgetLeft, looksLeft) = (joined.budgetLeft, joined.looksLeft) }
        return try work(&joined)
    }

    /// True once the parser has read more than any honest header needs.
    var isExhausted: Bool { budgetLeft <= 0 || looksLeft <= 0 }

    mutating func byte(at offset: Int) throws(ImageHeaderError) -> UInt8 {
        guard offset >= 0, offset < length, !isExhausted else { throw .damaged }
        budgetLeft -= 1
        looksLeft -= 1
        if offset < blockStart || offset - blockStart >= block.count { try load(offset) }
        return block[offset - blockStart]
    }

    private mutating func load(_ offset: Int) throws(ImageHeaderError) {
        let start = offset - offset % Self.blockSize
        let known = kept.firstIndex { $0.start == start }.map { kept.remove(at: $0).bytes }
        if !block.isEmpty { kept.append((blockStart, block)) }
        if kept.count > Self.mostKept { kept = Array(kept.dropFirst()) }
        budgetLeft -= known == nil ? Self.blockSize : Self.turn
        blockStart = start
        block = known ?? source.read(at: start, count: Self.blockSize)
        guard offset - blockStart < block.count else { throw .damaged }
    }

    /// `count` bytes, at most a few KiB; walk larger segments.
    mutating func bytes(at offset: Int, count: Int) throws(ImageHeaderError) -> [UInt8] {
        guard offset >= 0, offset <= length, count <= length - offset else { throw .damaged }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in offset..<(offset + count) { bytes.append(try byte(at: index)) }
        return bytes
    }

    /// The first bytes; fewer than `count` in a short file.
    mutating func prefix(_ count: Int) throws(ImageHeaderError) -> [UInt8] {
        try bytes(at: 0, count: min(count, length))
    }

    /// An unsigned number of `size` bytes, 1…8, clamped to `Int.max`.
    mutating func number(
        at offset: Int, size: Int, bigEndian: Bool
    ) throws(ImageHeaderError) -> Int {
        var value: UInt64 = 0
        guard offset <= length else { throw .damaged }
        for index in 0..<size {
            let byte = try byte(at: offset + (bigEndian ? index : size - 1 - index))
            value = value << 8 | UInt64(byte)
        }
        return Int(clamping: value)
    }

    mutating func big16(at offset: Int) throws(ImageHeaderError) -> Int {
        try number(at: offset, size: 2, bigEndian: true)
    }

    mutating func big32(at offset: Int) throws(ImageHeaderError) -> Int {
        try number(at: offset, size: 4, bigEndian: true)
    }

    mutating func little16(at offset: Int) throws(ImageHeaderError) -> Int {
        try number(at: offset, size: 2, bigEndian: false)
    }

    mutating func little24(at offset: Int) throws(ImageHeaderError) -> Int {
        try number(at: offset, size: 3, bigEndian: false)
    }

    mutating func little32(at offset: Int) throws(ImageHeaderError) -> Int {
        try number(at: offset, size: 4, bigEndian: false)
    }

    mutating func has(_ text: String, at offset: Int) throws(ImageHeaderError) -> Bool {
        guard offset >= 0, offset <= length, text.utf8.count <= length - offset else { return false }
        return try bytes(at: offset, count: text.utf8.count).elementsEqual(text.utf8)
    }
}
