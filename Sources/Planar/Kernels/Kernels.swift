// SPDX-License-Identifier: Apache-2.0

internal import CPlanar

/// The loops that take most of the time besides Huffman codes, in two implementations that give the same bytes:
/// CPlanar's if the processor has its instructions, and Swift's on any processor.
enum Kernels {
    case vector, portable

    static let best: Kernels = cplanar_is_available() ? .vector : .portable

    /// Inverse DCT of 64 dequantised coefficients to samples at a fraction of the size. Sets the coefficients
    /// to 0.
    /// - Parameters:
    ///   - side: samples in a row of the resulting block: 8, 4 or 2.
    ///   - samples: where the first sample goes; there must be room for `side` rows.
    ///   - stride: bytes from one row to the next.
    @inline(__always)
    func inverse(
        _ block: UnsafeMutablePointer<Int16>, side: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        switch (self, side) {
        case (.vector, 8): cplanar_inverse8(block, samples, stride)
        case (.vector, 4): cplanar_inverse4(block, samples, stride)
        case (.vector, _): cplanar_inverse2(block, samples, stride)
        case (.portable, _): InverseDCT.inverse(block, side: side, to: samples, stride: stride)
        }
    }

    /// Computes one row, times 64, as a weighted sum of several rows.
    /// - Parameter width: in samples; whole groups of 32 are read and written.
    func down(_ rows: cplanar_rows, _ filter: cplanar_filter, to row: UnsafeMutablePointer<Int16>, width: Int)
    {
        var (rows, filter) = (rows, filter)
        switch self {
        case .vector: cplanar_down(&rows, &filter, row, Int32(clamping: width))
        case .portable: PortableFilters.down(rows, filter, to: row, width: width)
        }
    }

    /// Computes one row of samples, times 64, from a row of `down`.
    /// - Parameter width: in samples; whole groups of 4 are written.
    func across(
        _ row: UnsafePointer<Int16>, _ filter: cplanar_filter, to samples: UnsafeMutablePointer<Int16>,
        width: Int
    ) {
        var filter = filter
        switch self {
        case .vector: cplanar_across(row, &filter, samples, Int32(clamping: width))
        case .portable: PortableFilters.across(row, filter, to: samples, width: width)
        }
    }

    /// Converts three rows of `across` to red, green, blue, or one row to grey.
    /// - Parameter width: in pixels; whole groups of 8 are written, and 4 bytes behind them.
    func colours(
        _ rows: [UnsafeMutablePointer<Int16>], to bytes: UnsafeMutablePointer<UInt8>, width: Int
    ) {
        switch self {
        case _ where rows.count < 3: PortableFilters.grey(rows[0], to: bytes, width: width)
        case .vector: cplanar_rgb(rows[0], rows[1], rows[2], bytes, Int32(clamping: width))
        case .portable: PortableFilters.colours(rows, to: bytes, width: width)
        }
    }
}
