// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
@testable import Pipeline
import Synchronization

/// A clock that stands still until the test moves it.
final class HandMovedClock: Environment {
    private struct State {
        /// Microseconds, for both clocks.
        var time: Int64 = 0
        var alarms: [(number: UInt64, due: Int64, work: @Sendable () -> Void)] = []
        var last: UInt64 = 0
    }

    private static let epoch = Timestamp(seconds: 1_750_000_000)
    private let state = Mutex(State())

    func now() -> Timestamp { Timestamp(milliseconds: Self.epoch.milliseconds + ticks() / 1000) }
    func ticks() -> Int64 { state.withLock(\.time) }

    /// Not SHA-256, but 32 bytes that differ if the material does.
    func sha256(_ bytes: [UInt8]) -> Digest { testDigest(bytes) }

    /// Always the middle of the range.
    func chance() -> Double { 0.5 }

    @discardableResult
    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.alarms.append((state.last, state.time + microseconds, work))
            return state.last
        }
    }

    func putOff(_ alarm: UInt64) { state.withLock { $0.alarms.removeAll { $0.number == alarm } } }

    /// The number of alarms that are set.
    var alarms: Int { state.withLock(\.alarms.count) }

    /// Moves time to the first alarm, if one is set.
    func advanceToNextAlarm() {
        let wait = state.withLock { state in state.alarms.map(\.due).min().map { $0 - state.time } }
        if let wait { advance(seconds: Double(max(0, wait)) / 1_000_000) }
    }

    /// Moves time to the next alarm, if that is due within this many seconds.
    func advanceToNextAlarm(within seconds: Double) {
        let limit = Int64(seconds * 1_000_000)
        let wait = state.withLock { state in
            state.alarms.map { $0.due - state.time }.filter { $0 <= limit }.min()
        }
        if let wait { advance(seconds: Double(max(0, wait)) / 1_000_000) }
    }

    /// Moves time, and calls the alarms that become due.
    func advance(seconds: Double) {
        let due = state.withLock { state in
            state.time += Int64(seconds * 1_000_000)
            let time = state.time
            let due = state.alarms.filter { $0.due <= time }.sorted { $0.due < $1.due }
            state.alarms.removeAll { $0.due <= time }
            return due
        }
        for alarm in due { alarm.work() }
    }
}

/// A digest of four runs of FNV-1a with different starts.
func testDigest(_ bytes: some Sequence<UInt8>) -> Digest {
    let material = Array(bytes)
    let result = (0..<4).flatMap { (round: UInt64) in
        let hash = material.reduce(0xCBF2_9CE4_8422_2325 &+ round) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }
    guard let digest = Digest(result) else { preconditionFailure("Four times eight are 32 bytes.") }
    return digest
}
