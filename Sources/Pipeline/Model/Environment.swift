// SPDX-License-Identifier: Apache-2.0
//
// A port of the pipeline. Its adapter does not know this protocol; Daemon/Wiring fits them together.

package import Bytes
package import HTTPSemantics

/// The pipeline's clocks, hash and random numbers, passed in so that tests control them.
package protocol Environment: Sendable {
    /// Wall-clock time.
    func now() -> Timestamp
    /// The monotonic clock in microseconds, for durations and for everything that is remembered or waits in
    /// this process.
    func ticks() -> Int64
    func sha256(_ bytes: [UInt8]) -> Digest
    /// A uniformly random number, 0..<1.
    func chance() -> Double
    /// Calls `work` once after this time, on any thread. The work must be short and must not block.
    /// - Returns: a number by which `putOff` cancels the call.
    @discardableResult
    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64
    /// Cancels what `after` has set; the call may already be under way.
    func putOff(_ alarm: UInt64)
}
