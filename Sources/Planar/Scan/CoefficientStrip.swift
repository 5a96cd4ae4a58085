// SPDX-License-Identifier: Apache-2.0

/// The coefficients of one component in a row of units, as far as the scans read so far define them.
///
/// **Isolation:** one owner on one thread.
final class CoefficientStrip {
    /// Blocks in a row.
    let across: Int
    /// 64 coefficients of each block in zigzag order; all zero between one strip and the next.
    let coefficients: UnsafeMutableBufferPointer<Int16>
    /// For each block, a bit for each coefficient other than the first that is not zero.
    let shaped: UnsafeMutableBufferPointer<UInt64>

    init(across: Int, down: Int) {
        self.across = across
        coefficients = .allocate(capacity: across * down * 64)
        coefficients.initialize(repeating: 0)
        shaped = .allocate(capacity: across * down)
        shaped.initialize(repeating: 0)
    }

    /// Whether a block's coefficients in this band, a bit for each, are still zero.
    @inline(__always)
    func isZero(in band: UInt64, _ block: Int) -> Bool {
        Span(_unsafeElements: UnsafeBufferPointer(shaped))[block] & band == 0
    }

    deinit {
        coefficients.deallocate()
        shaped.deallocate()
    }
}
