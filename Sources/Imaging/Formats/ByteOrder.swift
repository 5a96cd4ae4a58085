// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// The lowest bytes of a number, so many of them, the highest first; of a negative one its two's complement.
    init(big number: Int, _ size: Int) {
        self = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }

    /// The same, the lowest first.
    init(little number: Int, _ size: Int) {
        self = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
