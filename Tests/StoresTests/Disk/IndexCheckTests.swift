// SPDX-License-Identifier: Apache-2.0

@testable import Stores
import Testing

@Suite struct IndexCheckTests {
    @Test(arguments: [
        ("ok", IndexCheck.sound),
        ("*** in database main ***\nPage 2: unable to get the page. error code=8458", .unreadable),
        ("*** in database main ***\nFreelist: failed to get page 7", .unreadable),
        ("*** in database main ***\nTree 4 page 9: btreeInitPage() returns error code 11", .damaged),
    ])
    func `a page that cannot be read proves no damage`(verdict: String, check: IndexCheck) {
        #expect(IndexCheck.of(verdict: verdict) == check)
    }
}
