// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import Testing

@Suite("Lookups are counted for as long as they may hold descriptors") struct LookupsTests {
    @Test func `as many begin as there may be, and one that has ended makes room`() {
        var lookups = Lookups()
        let first = (1...3).map { _ in lookups.begin(at: 0, limit: 2) }
        #expect(first == [true, true, false])
        lookups.end()
        let next = (1...2).map { _ in lookups.begin(at: 0, limit: 2) }
        #expect(next == [true, false] && lookups.count == 2)
    }

    @Test func `one that was left alone counts until it is over`() {
        var lookups = Lookups()
        _ = lookups.begin(at: 0, limit: 1)
        lookups.leaveAlone(at: 7)
        let begun = [7, Lookups.longest + 6, Lookups.longest + 7].map { lookups.begin(at: $0, limit: 1) }
        #expect(begun == [false, false, true] && lookups.count == 1)
    }
}
