// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("No number from outside ends the daemon", .endToEnd)
struct OddNumberTests {
    @Test(arguments: [
        ("length", Int64.max), ("length", Int64.min), ("width", Int64.max), ("orientation", 200),
        ("response_time", Int64.min),
        ("pages", 1 << 32),
    ])
    func `an index may say anything`(column: String, number: Int64) throws {
        let origin = ScriptedOrigin.pictures()
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url("/a"), "w=30").body
        #expect(first.stop() == 0)
        try CacheIndex(cache, .readWrite).execute("UPDATE originals SET \(column) = \(number)")

        let second = try DaemonUnderTest(cache: cache)
        let again = try second.get(origin.url("/a"), "w=30")
        #expect(again.status == 200 && again.body == made)
        #expect(second.stop() == 0)
    }

    @Test func `a delay for all frames is told of no more of them than are told of one by one`() throws {
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 0x01, 0]
        let start = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
        let picture = start + (0..<20_000).flatMap { _ in frame } + [0x3B]
        let origin = ScriptedOrigin { $0.picture(picture) }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "output=json&n=-1&delay=7")
        let members = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        #expect(members["pages"] as? Int == 20_000)
        #expect((members["delay"] as? [Int])?.count == 10_000)
    }

    @Test func `a field of thousands of members costs nobody a second`() throws {
        let members = (0..<8_000).map { "k\($0)" }.joined(separator: ",")
        let origin = ScriptedOrigin {
            $0.picture(
                Pictures.flat(4, 4, [1, 2, 3]), maxAge: 60,
                fields: ["CDN-Cache-Control: max-age=5,\(members)"])
        }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=2")
        #expect(reply.status == 200)
        // It is none that could be read, so the other one counts.
        #expect(reply["Cache-Control"]?.contains("max-age=60") == true)
    }
}
