// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// The permits of one group. Times are microseconds.
struct GroupPermitsTests {
    @Test func `a group has its permits, and no other group's`() {
        var groups = GroupPermits(most: 2, rate: 0)
        for _ in 0..<2 { groups.take("a", now: 0) }
        #expect(groups.running("a") == 2)
        #expect(!groups.admits("a", now: 0))
        #expect(groups.isFull("a", now: 0))
        #expect(groups.admits("b", now: 0))
        groups.giveBack("a")
        #expect(groups.admits("a", now: 0))
    }

    @Test func `a group without permits admits none`() {
        #expect(!GroupPermits(most: 0, rate: 0).admits("a", now: 0))
    }

    @Test func `jobs of no group are never held up`() {
        var groups = GroupPermits(most: 1, rate: 1)
        for _ in 0..<5 { groups.take("", now: 0) }
        #expect(groups.admits("", now: 0))
        #expect(groups.nextBeginning("", now: 0) == nil)
    }

    @Test func `a group that begins too often waits, though it has permits`() {
        var groups = GroupPermits(most: 9, rate: 2)
        groups.take("a", now: 0)
        groups.giveBack("a")
        #expect(!groups.admits("a", now: 499_999))
        #expect(groups.nextBeginning("a", now: 0) == 500_000)
        #expect(groups.admits("a", now: 500_000))
        #expect(groups.seconds(for: 5, of: "a", now: 0) == 3)
        #expect(groups.seconds(for: 0, of: "a", now: 0) == 0)
    }

    @Test func `a group that asked for fewer requests is slowed down, and no other`() {
        var groups = GroupPermits(most: 99, rate: 0)
        groups.slowDown("a", for: 3, by: nil, now: 0)
        #expect(groups.slowedCount(now: 0) == 1)
        for _ in 0..<2 {
            groups.take("a", now: 0)
            groups.take("b", now: 0)
        }
        #expect(groups.isFull("a", now: 0))
        #expect(!groups.isFull("b", now: 0))
        #expect(groups.slowedCount(now: 3_000_000) == 0)
        #expect(!groups.isFull("a", now: 3_000_000))
    }

    @Test func `a permit that nobody holds cannot be given back`() {
        var groups = GroupPermits(most: 1, rate: 0)
        groups.giveBack("a")
        #expect(groups.running("a") == 0)
        groups.take("a", now: 0)
        #expect(!groups.admits("a", now: 0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `its verdict is that of a list of groups`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let most = Int.random(in: 1...4, using: &random)
        var groups = GroupPermits(most: most, rate: 0)
        var held: [String] = []
        for now in 0..<1000 as Range<Int64> {
            let group = ["", "a", "b", "c"].randomElement(using: &random) ?? ""
            let count = held.count { $0 == group }
            #expect(groups.running(group) == count, "seed \(seed)")
            #expect(groups.admits(group, now: now) == (group.isEmpty || count < most), "seed \(seed)")
            if groups.admits(group, now: now), Bool.random(using: &random) {
                groups.take(group, now: now)
                held.append(group)
            } else if let index = held.indices.randomElement(using: &random) {
                groups.giveBack(held.remove(at: index))
            }
        }
    }
}
