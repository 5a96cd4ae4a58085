// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Two daemons do not share a folder", .endToEnd)
struct SecondDaemonTests {
    private let origin = ScriptedOrigin.pictures()

    private func expectRefusal(on cache: TemporaryFolder) {
        #expect {
            try DaemonUnderTest(cache: cache)
        } throws: {
            guard let error = $0 as? DaemonUnderTest.DidNotStart else { return false }
            return error.status != 0 && error.log.contains(cache.path)
                && error.log.contains("is in use by another process")
        }
    }

    @Test func `the second says who is in the way, and the first does not notice`() throws {
        let first = try DaemonUnderTest()
        let made = try first.get(origin.url("/1"), "w=30")
        expectRefusal(on: first.cache)
        #expect(try first.get(origin.url("/1"), "w=30").body == made.body)
        #expect(try first.admin("/health/ready").text == "ready\n")
        #expect(first.stop() == 0)
        let second = try DaemonUnderTest(cache: first.cache)
        #expect(try second.get(origin.url("/1"), "w=30").body == made.body)
    }

    @Test func `deleting the lock lets no second one in for long`() throws {
        let first = try DaemonUnderTest()
        _ = try first.get(origin.url("/1"), "w=30")
        try FileManager.default.removeItem(atPath: first.cache.path + "/lock")
        #expect(
            try Patience.until {
                try first.metric("pictor_disk_reopened_total") == 1
                    && first.metric("pictor_disk_keeping") == 1
            })
        expectRefusal(on: first.cache)
        #expect(try first.entries("rendition") == 1)
    }
}
