// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

@Suite struct DeadlineTests {
    @Test(arguments: [1, 10_000_000, 75_000_000] as [Int64])
    func `a timeout is never shorter than was set, nor longer by more than an eighth`(timeout: Int64) {
        for slot in 0..<20_000 {
            let spread = Deadline.spread(microseconds: timeout, slot: slot)
            #expect(spread >= timeout && spread <= timeout + timeout / 8)
        }
    }

    @Test(arguments: [0, 1, 4_711])
    func `slots in a row are due evenly`(first: Int) {
        var due = [Int](repeating: 0, count: 10)
        for slot in first..<first + 1_000 {
            due[Int((Deadline.spread(microseconds: 8_000_000, slot: slot) - 8_000_000) / 100_000)] += 1
        }
        #expect(due.allSatisfy { (90...110).contains($0) }, "\(due)")
    }
}
