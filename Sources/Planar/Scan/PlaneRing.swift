// SPDX-License-Identifier: Apache-2.0

/// The latest rows of a plane of samples: each row replaces the one `rows` before it.
///
/// **Isolation:** one owner writes and reads, on one thread.
final class PlaneRing {
    let rows: Int
    /// Bytes from one row to the next; at least 32 more than the samples, so that whole groups can be
    /// processed.
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

    /// The start of `count` rows that may be written, which must not cross the ring's end.
    @inline(__always)
    func place(ofRow row: Int, count: Int) -> UnsafeMutablePointer<UInt8> {
        let place = row % rows
        precondition(place >= 0 && place + count <= rows)
        // The ring is not empty.
        return samples.baseAddress.unsafelyUnwrapped + place * stride
    }
}
