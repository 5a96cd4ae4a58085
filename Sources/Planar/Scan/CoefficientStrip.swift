// SPDX-License-Identifier: Apache-2.0

/// The coefficients of one component in a row of units, as far as scans have told of them.
///
/// **Isolation:** one owner on one thread.
final class CoefficientStrip {
    /// Blocks beside one another.
    let across: Int
    /// 64 of each block in the order of the file (zigzag), zero between one strip and the next.
    let coefficients: UnsafeMutableBufferPointer<Int16>
    /// A bit for each of a block's coefficients that is not zero, but for the first.
    let shaped: UnsafeMutableBufferPointer<UInt64>

    init(across: Int, down: Int) {
        self.across = across
        coefficients = .allocate(capacity: across * down * 64)
        coefficients.initialize(repeating: 0)
        shaped = .allocate(capacity: across * down)
        shaped.initialize(repeating: 0)
    }

    /// Whether a block's coefficients are zero yet in this band, of which each has a bit.
    @inline(__always)
    func isZero(in band: UInt64, _ block: Int) -> Bool {
        Span(_unsafeElements: UnsafeBufferPointer(shaped))[block] & band == 0
    }

    deinit {
        coefficients.deallocate()
        shaped.deallocate()
    }
}
