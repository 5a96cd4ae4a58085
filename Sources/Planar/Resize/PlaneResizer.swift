// SPDX-License-Identifier: Apache-2.0

internal import CPlanar

/// Makes rows of the new size from a ring's rows: first down the columns, to 16 bits of which 6 are fractional,
/// then across.
///
/// **Isolation:** one owner on one thread.
final class PlaneResizer {
    let ring: PlaneRing
    private let plane: ScanLayout.Plane
    let target: ResizePlan.Target
    private let down: LanczosFilter
    private let across: LanczosFilter
    private let kernels: Kernels
    /// The row between the two steps.
    private let between: UnsafeMutableBufferPointer<Int16>
    /// The latest row.
    private let result: UnsafeMutableBufferPointer<Int16>

    init(
        _ plane: ScanLayout.Plane, _ filters: (across: LanczosFilter, down: LanczosFilter), ring: PlaneRing,
        target: ResizePlan.Target, kernels: Kernels
    ) {
        self.plane = plane
        self.ring = ring
        self.target = target
        self.kernels = kernels
        (across, down) = filters
        between = .allocate(capacity: ring.stride + filters.across.taps)
        between.initialize(repeating: 0)
        result = .allocate(capacity: target.width + 32)
        result.initialize(repeating: 0)
    }

    deinit {
        between.deallocate()
        result.deallocate()
    }

    /// - Returns: a row of samples, times 64, valid until the next row is made.
    func row(_ index: Int) -> UnsafeMutablePointer<Int16> {
        precondition(plane.width + 32 <= ring.stride)
        let (between, result) = (between.baseAddress.unsafelyUnwrapped, result.baseAddress.unsafelyUnwrapped)
        let rows = cplanar_rows(
            samples: ring.start, stride: ring.stride, count: Int32(clamping: ring.rows),
            first: Int32(clamping: Int(down.starts[index]) % ring.rows))
        down.withFilter(of: index) { kernels.down(rows, $0, to: between, width: plane.width) }
        across.withFilter { kernels.across(between, $0, to: result, width: target.width) }
        return result
    }
}
