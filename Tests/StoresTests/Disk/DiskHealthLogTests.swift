// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Stores

@Suite struct DiskHealthLogTests {
    private let full = DiskHealth.notKeeping(reason: "full")
    private let gone = DiskHealth.absent(reason: "gone")

    @Test func `trouble and its end are told at once`() {
        var recorder = DiskHealthLog()
        #expect(recorder.note(.good, failures: 0, at: 0) == nil)
        #expect(recorder.note(full, failures: 1, at: 1) == .trouble(full, failures: 1))
        #expect(recorder.note(.good, failures: 1, at: 2) == .recovered)
        #expect(recorder.note(.good, failures: 1, at: 3) == nil)
    }

    @Test func `trouble that comes and goes is told once a minute`() {
        var recorder = DiskHealthLog()
        var lines = 0
        for second in 0..<600 {
            let health = second % 2 == 0 ? full : .good
            if recorder.note(health, failures: second, at: second) != nil { lines += 1 }
        }
        #expect(lines == 20)
    }

    @Test func `trouble that lasts is told every ten minutes, whatever its words`() {
        var recorder = DiskHealthLog()
        var told: [Int] = []
        for second in 0..<3_600 {
            let health = DiskHealth.notKeeping(reason: "\(second)")
            if recorder.note(health, failures: second, at: second) != nil { told.append(second) }
        }
        #expect(told == [0, 600, 1_200, 1_800, 2_400, 3_000])
    }

    @Test func `worse trouble is told after a minute`() {
        var recorder = DiskHealthLog()
        _ = recorder.note(full, failures: 0, at: 0)
        #expect(recorder.note(gone, failures: 0, at: 30) == nil)
        #expect(recorder.note(gone, failures: 0, at: 60) == .trouble(gone, failures: 0))
    }
}
