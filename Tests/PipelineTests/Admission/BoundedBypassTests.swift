// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// How many ordinary jobs go before an expensive one.
struct BoundedBypassTests {
    @Test func `after so many ordinary jobs it is an expensive one's turn`() {
        var bypass = BoundedBypass(most: 2)
        #expect(!bypass.isTurnOfExpensive)
        bypass.admit(isExpensive: false, expensiveWaits: true)
        #expect(!bypass.isTurnOfExpensive)
        bypass.admit(isExpensive: false, expensiveWaits: true)
        #expect(bypass.isTurnOfExpensive)
        // The expensive job cannot begin yet, and its turn remains.
        bypass.admit(isExpensive: false, expensiveWaits: true)
        #expect(bypass.isTurnOfExpensive)
        bypass.admit(isExpensive: true, expensiveWaits: true)
        #expect(!bypass.isTurnOfExpensive)
    }

    @Test func `jobs that pass nobody over do not count`() {
        var bypass = BoundedBypass(most: 1)
        for _ in 0..<10 { bypass.admit(isExpensive: false, expensiveWaits: false) }
        #expect(!bypass.isTurnOfExpensive)
        bypass.admit(isExpensive: false, expensiveWaits: true)
        bypass.admit(isExpensive: false, expensiveWaits: false)
        #expect(!bypass.isTurnOfExpensive)
    }

    @Test func `with none allowed, expensive jobs go first`() {
        #expect(BoundedBypass(most: 0).isTurnOfExpensive)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `no expensive job is passed over more often than allowed where it may begin at its turn`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let most = Int.random(in: 0...6, using: &random)
        var bypass = BoundedBypass(most: most)
        var (expensive, passed) = (0, 0)
        for _ in 0..<1000 {
            if Int.random(in: 0..<4, using: &random) == 0 { expensive += 1 }
            let isExpensive = expensive > 0 && bypass.isTurnOfExpensive
            if isExpensive { expensive -= 1 }
            passed = isExpensive || expensive == 0 ? 0 : passed + 1
            bypass.admit(isExpensive: isExpensive, expensiveWaits: expensive > 0)
            #expect(passed <= most, "seed \(seed)")
            #expect(bypass.isTurnOfExpensive == (passed >= most), "seed \(seed)")
        }
    }
}
