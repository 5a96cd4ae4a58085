// SPDX-License-Identifier: Apache-2.0

/// The latest rows of a plane of samples: a row takes the place of the one `rows` before it.
///
/// **Isolation:** one owner writes and reads, on one thread.
final class PlaneRing {
    let rows: Int
    /// Bytes from row to row; at least 32 more than there are samples, so that whole groups can be worked on.
    let stride: Int
    private let samples: UnsafeMutableBufferPointer<UInt8>

    init(width: Int, rows: Int) {
        self.rows = rows
        stride = (width + 31) / 32 * 32 + 32
        samples = .allocate(capacity: rows * stride)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    var start: UnsafePointer<UInt8>? { UnsafePointer(samples.baseAddress) }

    /// Where a row begins, of which the following ones may be written as well up to the ring's end.
    @inline(__always)
    func place(ofRow row: Int, count: Int) -> UnsafeMutablePointer<UInt8> {
        let place = row % rows
        precondition(place >= 0 && place + count <= rows)
        // The ring is not empty.
        return samples.baseAddress.unsafelyUnwrapped + place * stride
    }
}
