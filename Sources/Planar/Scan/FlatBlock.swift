// SPDX-License-Identifier: Apache-2.0

/// A block whose samples have one value.
enum FlatBlock {
    /// The value of all samples of a block, from its first coefficient.
    @inline(__always)
    static func mean(_ coefficient: Int32) -> UInt8 {
        UInt8(clamping: (coefficient &+ 4) &>> 3 &+ 128)
    }

    /// - Parameter side: 8, 4, 2 or 1.
    @inline(__always)
    static func fill(
        _ samples: UnsafeMutablePointer<UInt8>, _ side: Int, _ stride: Int, with value: UInt8
    ) {
        let bytes = UnsafeMutableRawPointer(samples)
        switch side {
        case 8:
            let row = UInt64(value) &* 0x0101_0101_0101_0101
            for y in 0..<8 { bytes.storeBytes(of: row, toByteOffset: y * stride, as: UInt64.self) }
        case 4:
            let row = UInt32(value) &* 0x0101_0101
            for y in 0..<4 { bytes.storeBytes(of: row, toByteOffset: y * stride, as: UInt32.self) }
        case 2:
            let row = UInt16(value) &* 0x0101
            for y in 0..<2 { bytes.storeBytes(of: row, toByteOffset: y * stride, as: UInt16.self) }
        default: samples[0] = value
        }
    }
}
