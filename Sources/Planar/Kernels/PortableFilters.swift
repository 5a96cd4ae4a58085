// SPDX-License-Identifier: Apache-2.0

internal import CPlanar

/// The loops of a resize for any processor. CPlanar's give the same bytes.
///
/// Products are of 8 or 16 bits and 15 bits. A filter's weights sum up to 16,384, so no sum of products exceeds
/// 32 bits.
enum PortableFilters {
    private typealias Sixteen = SIMD16<Int32>

    static func down(
        _ rows: cplanar_rows, _ filter: cplanar_filter, to row: UnsafeMutablePointer<Int16>, width: Int
    ) {
        for x in stride(from: 0, to: width, by: 16) {
            var sum = Sixteen(repeating: 128)
            var place = Int(rows.first)
            for tap in 0..<Int(filter.taps) {
                let samples = UnsafeRawPointer(rows.samples + place * rows.stride + x)
                    .loadUnaligned(as: SIMD16<UInt8>.self)
                sum &+= Sixteen(truncatingIfNeeded: samples) &* Int32(filter.weights[tap])
                place = place + 1 == Int(rows.count) ? 0 : place + 1
            }
            let shifted = (sum &>> Sixteen(repeating: 8))
                .clamped(lowerBound: Sixteen(repeating: -32768), upperBound: Sixteen(repeating: 32767))
            UnsafeMutableRawPointer(row + x)
                .storeBytes(of: SIMD16<Int16>(truncatingIfNeeded: shifted), as: SIMD16<Int16>.self)
        }
    }

    static func across(
        _ row: UnsafePointer<Int16>, _ filter: cplanar_filter, to samples: UnsafeMutablePointer<Int16>,
        width: Int
    ) {
        let taps = Int(filter.taps)
        for x in 0..<width {
            let (from, weights) = (row + Int(filter.starts[x]), filter.weights + x * taps)
            var sum = SIMD8<Int32>()
            for tap in stride(from: 0, to: taps, by: 8) {
                let values = UnsafeRawPointer(from + tap).loadUnaligned(as: SIMD8<Int16>.self)
                let factors = UnsafeRawPointer(weights + tap).loadUnaligned(as: SIMD8<Int16>.self)
                sum &+= SIMD8<Int32>(truncatingIfNeeded: values) &* SIMD8<Int32>(truncatingIfNeeded: factors)
            }
            samples[x] = Int16(clamping: (sum.wrappedSum() &+ 1 << 13) >> 14)
        }
    }

    /// JFIF 1.02: R = Y + 1.402 Cr, G = Y − 0.344136 Cb − 0.714136 Cr, B = Y + 1.772 Cb, with weights of 14 bits.
    /// Rounding happens once, at the end.
    static func colours(
        _ rows: [UnsafeMutablePointer<Int16>], to rgb: UnsafeMutablePointer<UInt8>, width: Int
    ) {
        let (luma, blues, reds) = (rows[0], rows[1], rows[2])
        for x in 0..<width {
            let y = Int32(luma[x]) << 14 + 1 << 19
            let (cb, cr) = (Int32(blues[x] &- 8192), Int32(reds[x] &- 8192))
            rgb[3 * x] = UInt8(clamping: (y &+ 22970 * cr) >> 20)
            rgb[3 * x + 1] = UInt8(clamping: (y &- 5638 * cb &- 11700 * cr) >> 20)
            rgb[3 * x + 2] = UInt8(clamping: (y &+ 29032 * cb) >> 20)
        }
    }

    static func grey(
        _ row: UnsafeMutablePointer<Int16>, to bytes: UnsafeMutablePointer<UInt8>, width: Int
    ) {
        for x in 0..<width { bytes[x] = UInt8(clamping: (Int32(row[x]) + 32) >> 6) }
    }

    /// Converts a row of `across` to bytes. Whole groups of 16 are read and written.
    static func bytes(
        _ row: UnsafeMutablePointer<Int16>, _ range: SampleRange, to bytes: UnsafeMutablePointer<UInt8>,
        width: Int
    ) {
        typealias Samples = SIMD16<Int16>
        // Clamping first avoids an overflow; sums beyond these values become a bound anyway.
        let (least, most) = (Samples(repeating: -4_096), Samples(repeating: 24_576))
        let (low, high) = (Samples(repeating: range.bounds.low), Samples(repeating: range.bounds.high))
        let added = Samples(repeating: range.offset + 32)
        for x in stride(from: 0, to: width, by: 16) {
            let samples = UnsafeRawPointer(row + x).loadUnaligned(as: Samples.self)
            let whole = (bounded(samples, least, most) &+ added) &>> Samples(repeating: 6)
            UnsafeMutableRawPointer(bytes + x).storeBytes(
                of: SIMD16<UInt8>(truncatingIfNeeded: bounded(whole, low, high)), as: SIMD16<UInt8>.self)
        }
    }

    /// `clamped`, for which the compiler finds no vector instructions.
    @inline(__always)
    private static func bounded(
        _ samples: SIMD16<Int16>, _ low: SIMD16<Int16>, _ high: SIMD16<Int16>
    ) -> SIMD16<Int16> {
        let raised = samples.replacing(with: low, where: samples .< low)
        return raised.replacing(with: high, where: raised .> high)
    }
}
