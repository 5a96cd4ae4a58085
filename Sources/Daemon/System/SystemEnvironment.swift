// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Dispatch
internal import HTTPSemantics
internal import Hashing
internal import Pipeline

/// The real clocks, the real hash and the system's chance.
struct SystemEnvironment: Environment {
    func now() -> Timestamp { Self.now() }

    static func now() -> Timestamp { Timestamp(milliseconds: pictor_wall_milliseconds()) }

    func ticks() -> Int64 { pictor_monotonic_microseconds() }

    func sha256(_ bytes: [UInt8]) -> Digest { SHA256.digest(of: bytes) }

    func chance() -> Double { .random(in: 0..<1) }

    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(microseconds)), execute: work)
    }
}
