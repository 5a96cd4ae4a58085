// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// To the daemon a clock that jumps and a cache whose times all jump are the same; the second can be had.
@Suite("A clock that jumps costs a question to the origin and nothing else", .endToEnd)
struct ClockJumpTests {
    private let origin = ScriptedOrigin.pictures()

    @Test(arguments: ["the past": -5, "the future": 5, "the far future": 500])
    func `what seems to be of another year is asked about once, and served`(when: String, years: Int) throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url("/1"), "w=30")
        #expect(first.stop() == 0)
        let seconds = years * 365 * 86_400
        try CacheIndex(cache, .readWrite).execute(
            """
            UPDATE originals SET response_time=response_time+\(seconds)*1000, accessed=accessed+\(seconds);
            UPDATE renditions SET accessed=accessed+\(seconds);
            """)

        let second = try DaemonUnderTest(cache: cache)
        let asked = try second.get(origin.url("/1"), "w=30")
        #expect(asked.body == made.body)
        #expect(asked["Cache-Status"]?.hasSuffix("detail=revalidated") == true, "\(when)")
        let again = try second.get(origin.url("/1"), "w=30")
        #expect(again.body == made.body)
        #expect(again["Cache-Status"]?.contains(";hit;ttl=") == true)
        #expect(origin.heads.count == 2)
        #expect(try second.metric("pictor_renders_total") == 0)
    }
}
