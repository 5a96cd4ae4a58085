// SPDX-License-Identifier: Apache-2.0
//
// Coefficients are stored one by one, two bytes each, and transformed 16 bytes at once. A processor that reads what it has just
// stored in smaller pieces waits until all of them have left for its cache. So a block is transformed behind the reading of the
// next one that has more than a first coefficient, which saves 6 % of a picture's decoding.

/// The last block that was read, not yet transformed, and room for the next one.
struct PendingBlock {
    /// 64 coefficients, row by row, and a place for those that are dropped.
    private static let length = 80

    private var next: UnsafeMutablePointer<Int16>
    private var last: UnsafeMutablePointer<Int16>
    /// Where the last block's samples go; nil if there is none.
    private var samples: UnsafeMutablePointer<UInt8>?
    private var side = 0
    private var stride = 0

    /// Room for two blocks.
    static func allocateBlocks() -> UnsafeMutableBufferPointer<Int16> {
        // For instructions that take 32 bytes at once.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * length * MemoryLayout<Int16>.stride, alignment: 32)
        let blocks = memory.bindMemory(to: Int16.self)
        blocks.initialize(repeating: 0)
        return blocks
    }

    /// - Parameter blocks: of `allocateBlocks`; all zero.
    init(in blocks: UnsafeMutableBufferPointer<Int16>) {
        // Not empty.
        next = blocks.baseAddress.unsafelyUnwrapped
        last = next + Self.length
    }

    /// For the next block's coefficients; all zero. Of a length that the compiler knows.
    var coefficients: UnsafeMutableBufferPointer<Int16> {
        @inline(__always) get { UnsafeMutableBufferPointer(start: next, count: Self.length) }
    }

    /// Transforms the last block, and takes the next one in its place.
    @inline(__always)
    mutating func follow(
        by kernels: Kernels, side: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        finish(by: kernels)
        (last, next) = (next, last)
        (self.samples, self.side, self.stride) = (samples, side, stride)
    }

    /// Transforms the last block.
    @inline(__always)
    mutating func finish(by kernels: Kernels) {
        guard let samples else { return }
        kernels.inverse(last, side: side, to: samples, stride: stride)
        self.samples = nil
    }
}
