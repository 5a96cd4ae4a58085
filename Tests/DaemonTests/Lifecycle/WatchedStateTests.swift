// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Files of secrets are tried until they are in force")
struct WatchedStateTests {
    private func due(_ files: inout WatchedState<String>, _ states: String...) -> [Bool] {
        states.map { files.isDue($0) }
    }

    @Test func `what is in force is not due, and what is new is`() {
        var files = WatchedState("a", looksBetweenTries: 3)
        let before = due(&files, "a", "b")
        files.take("b")
        let after = due(&files, "b", "a")
        #expect(before == [false, true] && after == [false, true])
    }

    @Test func `what failed is due again after a while, and at once if it changes`() {
        var files = WatchedState("a", looksBetweenTries: 3)
        let same = due(&files, "b", "b", "b", "b", "b", "b", "b")
        #expect(same == [true, false, false, true, false, false, true])
        let others = due(&files, "c", "b", "b")
        #expect(others == [true, true, false])
        files.take("b")
        let taken = due(&files, "b", "b", "b", "b")
        #expect(taken == [false, false, false, false])
    }

    @Test func `what went back to what is in force is forgotten`() {
        var files = WatchedState("a", looksBetweenTries: 3)
        let states = due(&files, "b", "a", "b")
        #expect(states == [true, false, true])
    }
}
