// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

/// How many ordinary jobs go before a dear one.
struct BoundedBypassTests {
    @Test func `after so many ordinary jobs it is a dear one's turn`() {
        var bypass = BoundedBypass(most: 2)
        #expect(!bypass.isDearsTurn)
        bypass.admit(isDear: false, dearWaits: true)
        #expect(!bypass.isDearsTurn)
        bypass.admit(isDear: false, dearWaits: true)
        #expect(bypass.isDearsTurn)
        // It cannot begin yet, and stays the next.
        bypass.admit(isDear: false, dearWaits: true)
        #expect(bypass.isDearsTurn)
        bypass.admit(isDear: true, dearWaits: true)
        #expect(!bypass.isDearsTurn)
    }

    @Test func `jobs that pass nobody over do not count`() {
        var bypass = BoundedBypass(most: 1)
        for _ in 0..<10 { bypass.admit(isDear: false, dearWaits: false) }
        #expect(!bypass.isDearsTurn)
        bypass.admit(isDear: false, dearWaits: true)
        bypass.admit(isDear: false, dearWaits: false)
        #expect(!bypass.isDearsTurn)
    }

    @Test func `with none allowed, dear jobs go first`() {
        #expect(BoundedBypass(most: 0).isDearsTurn)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `no dear job is passed over more often than allowed where it may begin at its turn`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let most = Int.random(in: 0...6, using: &random)
        var bypass = BoundedBypass(most: most)
        var (dear, passed) = (0, 0)
        for _ in 0..<1000 {
            if Int.random(in: 0..<4, using: &random) == 0 { dear += 1 }
            let isDear = dear > 0 && bypass.isDearsTurn
            if isDear { dear -= 1 }
            passed = isDear || dear == 0 ? 0 : passed + 1
            bypass.admit(isDear: isDear, dearWaits: dear > 0)
            #expect(passed <= most, "seed \(seed)")
            #expect(bypass.isDearsTurn == (passed >= most), "seed \(seed)")
        }
    }
}
