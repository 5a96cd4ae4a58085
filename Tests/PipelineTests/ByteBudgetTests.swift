// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

/// What jobs may cost together, in bytes.
struct ByteBudgetTests {
    @Test func `jobs share the budget to its last byte`() {
        var budget = ByteBudget(bytes: 100, dear: .max)
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
        var budget = ByteBudget(bytes: 100, dear: 20)
        #expect(budget.admits(cost))
        budget.take(cost)
        #expect(!budget.admits(1))
        budget.giveBack(cost)
        budget.take(0)
        #expect(!budget.admits(cost))
    }

    @Test func `dear jobs leave the others their reserve`() {
        var budget = ByteBudget(bytes: 100, dear: 20)
        #expect(!budget.isDear(20))
        #expect(budget.isDear(21))
        budget.take(50)
        #expect(budget.admits(30))
        #expect(!budget.admits(31))
        // The others may have the reserve, and what dear jobs have left.
        #expect(budget.admits(20))
        budget.take(30)
        budget.take(20)
        #expect(!budget.admits(1))
    }

    @Test func `the reserve is what the others do not hold of it`() {
        var budget = ByteBudget(bytes: 100, dear: 20)
        budget.take(60)
        #expect(budget.fitsReserve(20))
        budget.take(15)
        #expect(budget.fitsReserve(5))
        #expect(!budget.fitsReserve(6))
        budget.giveBack(15)
        #expect(budget.fitsReserve(20))
    }

    @Test func `without a limit everything is admitted`() {
        var budget = ByteBudget(bytes: .max, dear: .max)
        budget.take(1 << 62)
        #expect(budget.admits(.max - 1 << 62))
        #expect(budget.fitsReserve(0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `its verdict is that of a list of costs`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (bytes, dear) = (Int.random(in: 0...200, using: &random), Int.random(in: 0...100, using: &random))
        var budget = ByteBudget(bytes: bytes, dear: dear)
        var held: [Int] = []
        for _ in 0..<1000 {
            let cost = Int.random(in: 0...120, using: &random)
            let sum = held.reduce(cost, +)
            let dearSum = held.filter { $0 > dear }.reduce(cost, +)
            let fits = held.isEmpty || sum <= bytes && (cost <= dear || dearSum <= bytes - dear)
            #expect(budget.admits(cost) == fits, "seed \(seed)")
            let others = held.filter { $0 <= dear }.reduce(cost, +)
            #expect(budget.fitsReserve(cost) == (others <= dear), "seed \(seed)")
            if fits {
                budget.take(cost)
                held.append(cost)
            } else if let index = held.indices.randomElement(using: &random) {
                budget.giveBack(held.remove(at: index))
            }
        }
    }
}
