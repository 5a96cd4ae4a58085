// SPDX-License-Identifier: Apache-2.0
// Coefficients are stored one by one, two bytes each, but transformed 16 bytes at once. A processor that loads bytes which it
// has just stored in smaller pieces has to wait until all of them have reached its cache. So a block is transformed only after
// the next block with more than a first coefficient was read, which saves 6 % of the decoding time.

/// The last block that was read, not yet transformed, and room for the next one.
struct PendingBlock {
    /// 64 coefficients, row by row.
    private static let length = 64

    /// Room for the next block's coefficients, all zero.
    private(set) var next: UnsafeMutablePointer<Int16>
    private var last: UnsafeMutablePointer<Int16>
    /// Where the last block's samples go; nil if no block is pending.
    private var samples: UnsafeMutablePointer<UInt8>?
    private var side = 0
    private var stride = 0

    /// Allocates room for two blocks.
    static func allocateBlocks() -> UnsafeMutableBufferPointer<Int16> {
        // Aligned for instructions that load 32 bytes at once.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 2 * length * MemoryLayout<Int16>.stride, alignment: 32)
        let blocks = memory.bindMemory(to: Int16.self)
        blocks.initialize(repeating: 0)
        return blocks
    }

    /// - Parameter blocks: memory of `allocateBlocks`, all zero.
    init(in blocks: UnsafeMutableBufferPointer<Int16>) {
        // The buffer is not empty.
        next = blocks.baseAddress.unsafelyUnwrapped
        last = next + Self.length
    }

    /// Transforms the pending block, and makes the block just read the pending one.
    @inline(__always)
    mutating func follow(
        by kernels: Kernels, side: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        finish(by: kernels)
        (last, next) = (next, last)
        (self.samples, self.side, self.stride) = (samples, side, stride)
    }

    /// Transforms the pending block.
    @inline(__always)
    mutating func finish(by kernels: Kernels) {
        guard let samples else { return }
        kernels.inverse(last, side: side, to: samples, stride: stride)
        self.samples = nil
    }
}
