// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("q=auto finds the quality by itself", .endToEnd)
struct AutomaticQualityDaemonTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(160, 120)) }

    @Test(arguments: ["jpg", "webp", "avif"])
    func `more likeness costs more bytes, and the same question no second search`(output: String) throws {
        let daemon = try DaemonUnderTest()
        let low = try daemon.get(origin.url(), "output=\(output)&q=auto:0.8")
        let high = try daemon.get(origin.url(), "output=\(output)&q=auto:0.999")
        #expect([low.status, high.status] == [200, 200])
        #expect(low.body.count < high.body.count)
        #expect(try daemon.get(origin.url(), "output=\(output)&quality=auto:0.80").body == low.body)
        #expect(try daemon.metric("pictor_quality_searches_total") == 2)
        let tries = try daemon.metric("pictor_quality_tries_total")
        #expect((2...10).contains(tries))
    }

    @Test func `the target is a setting`() throws {
        let daemon = try DaemonUnderTest(["--encoder-target-likeness", "0.9"])
        let set = try daemon.get(origin.url(), "output=webp&q=auto")
        let named = try daemon.get(origin.url(), "output=webp&q=auto:0.9")
        #expect(set.body == named.body)
        #expect(try daemon.get(origin.url(), "output=webp&q=auto:2").status == 400)
    }
}
