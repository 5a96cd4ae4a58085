// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Microseconds, as the monotonic clock counts; 0 of a negative duration, and ten years at most, so that a deadline cannot
    /// overflow.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = min(max(.zero, self), .seconds(315_360_000)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
