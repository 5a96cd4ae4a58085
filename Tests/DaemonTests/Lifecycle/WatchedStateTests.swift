// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Files of secrets are tried until they are in force")
struct WatchedStateTests {
    private func due(
        _ files: inout WatchedState<String>, _ states: String..., inForce: String = "a"
    ) -> [Bool] {
        states.map { files.isDue($0, inForce: inForce) }
    }

    @Test func `what is in force is not due, and what is new is`() {
        var files = WatchedState<String>(looksBetweenTries: 3)
        let before = due(&files, "a", "b")
        let after = due(&files, "b", "a", inForce: "b")
        #expect(before == [false, true] && after == [false, true])
    }

    @Test func `what an order has put into force is not due once more`() {
        var files = WatchedState<String>(looksBetweenTries: 3)
        let states = due(&files, "b", "c", inForce: "b") + due(&files, "c", "c", "c", "c", inForce: "c")
        #expect(states == [false, true, false, false, false, false])
    }

    @Test func `what failed is due again after a while, and at once if it changes`() {
        var files = WatchedState<String>(looksBetweenTries: 3)
        let same = due(&files, "b", "b", "b", "b", "b", "b", "b")
        #expect(same == [true, false, false, true, false, false, true])
        let others = due(&files, "c", "b", "b")
        #expect(others == [true, true, false])
        let taken = due(&files, "b", "b", "b", "b", inForce: "b")
        #expect(taken == [false, false, false, false])
    }

    @Test func `what went back to what is in force is forgotten`() {
        var files = WatchedState<String>(looksBetweenTries: 3)
        let states = due(&files, "b", "a", "b")
        #expect(states == [true, false, true])
    }
}
