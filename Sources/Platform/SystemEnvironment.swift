// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import CLinux
internal import Dispatch
package import HTTPSemantics
internal import Hashing
internal import Pipeline

/// The real clocks, the real hash and the system's chance.
package struct SystemEnvironment: Environment {
    package init() {}

    package func now() -> Timestamp { Self.now() }

    package static func now() -> Timestamp { Timestamp(milliseconds: pictor_wall_milliseconds()) }

    package func ticks() -> Int64 { pictor_monotonic_microseconds() }

    package func sha256(_ bytes: [UInt8]) -> Digest { SHA256.digest(of: bytes) }

    package func chance() -> Double { .random(in: 0..<1) }

    package func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(microseconds)), execute: work)
    }
}
