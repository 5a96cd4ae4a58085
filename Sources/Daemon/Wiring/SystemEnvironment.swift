// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import HTTPSemantics
internal import Hashing
internal import ImageModel
internal import Pipeline

/// The real clocks and the real hash.
struct SystemEnvironment: Environment {
    func now() -> Timestamp { Self.now() }

    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    func ticks() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    func sha256(_ bytes: [UInt8]) -> Digest { SHA256.digest(of: bytes) }

    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(microseconds)), execute: work)
    }
}
