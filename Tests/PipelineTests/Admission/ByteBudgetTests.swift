// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// What jobs may cost together, in bytes.
struct ByteBudgetTests {
    @Test func `jobs share the budget to its last byte`() {
        var budget = ByteBudget(bytes: 100, expensive: .max)
        budget.take(60)
        #expect(budget.admits(40))
        #expect(!budget.admits(41))
        budget.take(40)
        #expect(budget.admits(0))
        #expect(!budget.admits(1))
        budget.giveBack(60)
        #expect(budget.admits(60))
    }

    @Test(arguments: [101, 5_000, Int.max])
    func `a job that costs more than the budget runs alone`(cost: Int) {
        var budget = ByteBudget(bytes: 100, expensive: 20)
        #expect(budget.admits(cost))
        budget.take(cost)
        #expect(!budget.admits(1))
        budget.giveBack(cost)
        budget.take(0)
        #expect(!budget.admits(cost))
    }

    @Test func `expensive jobs leave the others their reserve`() {
        var budget = ByteBudget(bytes: 100, expensive: 20)
        #expect(!budget.isExpensive(20))
        #expect(budget.isExpensive(21))
        budget.take(50)
        #expect(budget.admits(30))
        #expect(!budget.admits(31))
        // Ordinary jobs may use the reserve, and what expensive jobs have left.
        #expect(budget.admits(20))
        budget.take(30)
        budget.take(20)
        #expect(!budget.admits(1))
    }

    @Test func `the reserve is what the others do not hold of it`() {
        var budget = ByteBudget(bytes: 100, expensive: 20)
        budget.take(60)
        #expect(budget.fitsReserve(20))
        budget.take(15)
        #expect(budget.fitsReserve(5))
        #expect(!budget.fitsReserve(6))
        budget.giveBack(15)
        #expect(budget.fitsReserve(20))
    }

    @Test func `without a limit everything is admitted`() {
        var budget = ByteBudget(bytes: .max, expensive: .max)
        budget.take(1 << 62)
        #expect(budget.admits(.max - 1 << 62))
        #expect(budget.fitsReserve(0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `its verdict is that of a list of costs`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (bytes, expensive) = (
            Int.random(in: 0...200, using: &random), Int.random(in: 0...100, using: &random)
        )
        var budget = ByteBudget(bytes: bytes, expensive: expensive)
        var held: [Int] = []
        for _ in 0..<1000 {
            let cost = Int.random(in: 0...120, using: &random)
            let sum = held.reduce(cost, +)
            let expensiveSum = held.filter { $0 > expensive }.reduce(cost, +)
            let fits =
                held.isEmpty || sum <= bytes && (cost <= expensive || expensiveSum <= bytes - expensive)
            #expect(budget.admits(cost) == fits, "seed \(seed)")
            let others = held.filter { $0 <= expensive }.reduce(cost, +)
            #expect(budget.fitsReserve(cost) == (others <= expensive), "seed \(seed)")
            if fits {
                budget.take(cost)
                held.append(cost)
            } else if let index = held.indices.randomElement(using: &random) {
                budget.giveBack(held.remove(at: index))
            }
        }
    }
}
