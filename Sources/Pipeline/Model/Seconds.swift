// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// So many microseconds in seconds, rounded up, since whoever comes again after them must not come too early; 0 for what is
    /// over.
    var secondsAhead: Int { Int(clamping: Swift.max(0, self / 1_000_000 + (self % 1_000_000 > 0 ? 1 : 0))) }
}
