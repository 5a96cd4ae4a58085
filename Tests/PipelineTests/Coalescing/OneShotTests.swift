// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

struct OneShotTests {
    @Test func `the first value stays, whether it comes before the waiter or after`() async {
        let before = OneShot<Int>()
        before.settle(1)
        before.settle(2)
        #expect(await before.value() == 1)

        let after = OneShot<Int>()
        let waiter = TestTask { await after.value() }
        await Task.yield()
        after.settle(3)
        after.settle(4)
        #expect(await waiter.value == 3)
    }
}
