// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// These microseconds in seconds, rounded up, so that a client who comes again after them does not come too early; 0 for a time
    /// in the past.
    var secondsAhead: Int { Int(clamping: Swift.max(0, self / 1_000_000 + (self % 1_000_000 > 0 ? 1 : 0))) }
}
