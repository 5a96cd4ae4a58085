// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// The lowest `size` bytes of a number, the highest byte first; a negative number in two's complement.
    init(big number: Int, _ size: Int) {
        self = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }

    /// The lowest `size` bytes of a number, the lowest byte first.
    init(little number: Int, _ size: Int) {
        self = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
