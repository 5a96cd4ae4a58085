// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import CLinux
internal import Dispatch
internal import Hashing
package import HTTPSemantics
internal import Kernel
internal import Pipeline

/// The `Environment` of production: the system's clocks, libcrypto's SHA-256 and the system's random numbers.
package struct SystemEnvironment: Environment {
    /// Has no state: every instance reads the same clocks.
    package init() {}

    /// The wall clock, in milliseconds since 1970.
    package func now() -> Timestamp { Self.now() }

    /// The wall clock, in milliseconds since 1970.
    package static func now() -> Timestamp { Timestamp(milliseconds: pictor_wall_milliseconds()) }

    /// The wall clock, in nanoseconds since 1970.
    package static var nanoseconds: UInt64 { pictor_wall_nanoseconds() }

    /// The monotonic clock, in microseconds.
    package func ticks() -> Int64 { pictor_monotonic_microseconds() }

    /// The time since the boot, in microseconds, including the time in which the machine slept.
    package static var sinceBoot: Int64 { pictor_boot_microseconds() }

    /// Computed by libcrypto.
    package func sha256(_ bytes: [UInt8]) -> Digest { SHA256.digest(of: bytes) }

    /// A random number from 0 up to, but not including, 1.
    package func chance() -> Double { .random(in: 0..<1) }

    /// Runs `work` on the alarm thread after `microseconds`. If that thread could not start, libdispatch runs the work, and
    /// `putOff` has no effect.
    @discardableResult
    package func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64 {
        if let thread = AlarmThread.shared { return thread.set(after: microseconds, work) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(microseconds)), execute: work)
        return 0
    }

    /// Cancels an alarm that `after` has set.
    package func putOff(_ alarm: UInt64) { AlarmThread.shared?.putOff(alarm) }
}
