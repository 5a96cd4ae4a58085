// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing

@Suite("Replies of Redis are read")
struct ReplyReaderTests {
    private func read(_ text: String, limit: Int = 1 << 20) throws -> [RedisReply] {
        let reader = try #require(ReplyReader(limit: limit))
        return try Array(text.utf8).withUnsafeBytes { try reader.read($0) }
    }

    private static let all =
        "+OK\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n-ERR no\r\n*2\r\n*1\r\n$0\r\n\r\n:1\r\n"
    private static let meant: [RedisReply] = [
        .text(Array("OK".utf8)), .number(-7), .text(Array("a\r\n".utf8)), .none, .none, .error("ERR no"),
        .list([.list([.text([])]), .number(1)]),
    ]

    @Test func `each kind is read, also byte by byte`() throws {
        #expect(try read(Self.all) == Self.meant)
        let reader = try #require(ReplyReader())
        var replies: [RedisReply] = []
        for byte in Self.all.utf8 { replies += try [byte].withUnsafeBytes { try reader.read($0) } }
        #expect(replies == Self.meant)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "\u{0}\u{0}\r\n", "$abc\r\n", "*5000\r\n", "*2147483647\r\n", "*-5\r\n",
        "*99999999999999999999\r\n",
    ])
    func `what is no reply, or too much of one, is refused`(text: String) throws {
        #expect(throws: ReplyReader.Failure.self) { try read(text) }
    }

    @Test(arguments: [8, 100_000])
    func `arrays in arrays are refused beyond seven`(depth: Int) throws {
        #expect(throws: ReplyReader.Failure.self) {
            try read(String(repeating: "*1\r\n", count: depth) + ":1\r\n")
        }
        #expect(try read(String(repeating: "*1\r\n", count: 7) + ":1\r\n").count == 1)
    }

    @Test func `a reply may not be larger than the limit`() throws {
        let large = "$200000\r\n" + String(repeating: "a", count: 200_000) + "\r\n"
        #expect(try read(large).count == 1)
        #expect(throws: ReplyReader.Failure.self) { try read(large, limit: 100_000) }
        // The length is announced, but no memory is reserved for it.
        #expect(try read("$999999999\r\n").isEmpty)
    }

    @Test func `a reader that has failed stays so`() throws {
        let reader = try #require(ReplyReader())
        #expect(throws: ReplyReader.Failure.self) {
            try Array("?\r\n".utf8).withUnsafeBytes { try reader.read($0) }
        }
        #expect(throws: ReplyReader.Failure.self) {
            try Array("+OK\r\n".utf8).withUnsafeBytes { try reader.read($0) }
        }
    }

    @Test func `addresses are read as people write them`() throws {
        #expect(RedisAddress("redis://a.example")?.place == .host("a.example", port: 6379))
        #expect(
            RedisAddress("rediss://a:7000/3")
                == RedisAddress(.host("a", port: 7000), isSecure: true, database: 3))
        #expect(RedisAddress("redis://[::1]:7000/")?.place == .host("::1", port: 7000))
        #expect(RedisAddress("unix:/run/redis.sock")?.place == .socket(path: "/run/redis.sock"))
        for wrong in [
            "", "a:6379", "redis://", "redis://:6379", "redis://a:0", "redis://a:70000", "redis://u:p@a",
            "redis://a/x", "redis://a/-1", "redis://::1", "unix:run", "http://a", "redis://a b",
            "unix:/" + String(repeating: "a", count: 200),
        ] {
            #expect(RedisAddress(wrong) == nil, "\(wrong)")
        }
        let old = try #require(RedisAddress("rediss://a:7000"))
        #expect(RedisAddress(moved: "b:7001", from: old)?.words == "b:7001")
        #expect(RedisAddress(moved: "b:7001", from: old)?.isSecure == true)
        #expect(RedisAddress(moved: ":7001", from: old)?.words == "a:7001")
        #expect(RedisAddress(moved: "::1:7001", from: old)?.words == "[::1]:7001")
        #expect(RedisAddress(moved: "b", from: old) == nil)
    }
}
