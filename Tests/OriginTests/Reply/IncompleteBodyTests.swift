// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@testable import Origin

/// When the rest of a body may be requested, and when an answer may be appended.
struct IncompleteBodyTests {
    private static let responseTime = Timestamp(seconds: 784_111_777 + 86_400)
    private static let date = "Date: Mon, 07 Nov 1994 08:49:37 GMT"
    private static let modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"

    private func head(_ status: String, _ fields: [String]) -> ReplyHead {
        var head = ReplyHead(byteLimit: 10_000, lineLimit: 100)
        for line in ["HTTP/1.1 \(status)"] + fields + [""] {
            _ = Array((line + "\r\n").utf8).withUnsafeBytes { head.add($0) }
        }
        return head
    }

    private func incomplete(
        _ fields: [String], status: String = "200 OK", received: Int = 4, total: Int? = 10
    ) -> IncompleteBody? {
        IncompleteBody(
            head(status, fields), requestTime: Self.responseTime, responseTime: Self.responseTime,
            received: received, total: total, failure: .brokenReply(.cutShort))
    }

    @Test func `the rest is asked for by a strong entity tag, or by a date that is certain`() {
        #expect(incomplete(["ETag: \"v1\""])?.ifRange == "\"v1\"")
        #expect(incomplete(["ETag: \"v1\""])?.range == "bytes=4-")
        #expect(incomplete(["ETag: \"v1\"", Self.modified, Self.date])?.ifRange == "\"v1\"")
        #expect(incomplete([Self.modified, Self.date])?.ifRange == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(incomplete(["ETag: \"v1\"", "Accept-Ranges: bytes"], total: nil) != nil)
        #expect(incomplete(["ETag: \"v1\"", "Content-Encoding: identity"]) != nil)
    }

    @Test(
        arguments: [
            [], ["ETag: W/\"v1\""], ["ETag: v1"], [modified], ["ETag: W/\"v1\"", modified, date],
            [modified, "Date: Sun, 06 Nov 1994 08:50:36 GMT"], ["Last-Modified: yesterday", date],
            ["ETag: \"v1\"", "Accept-Ranges: none"], ["ETag: \"v1\"", "Content-Encoding: gzip"],
            ["ETag: \"v1\"", "ETag: \"v2\""],
        ])
    func `without a sign of its version, or of parts, it is not`(fields: [String]) {
        #expect(incomplete(fields) == nil)
    }

    @Test func `nothing, everything, and what a proxy has altered are not gone on with`() {
        #expect(incomplete(["ETag: \"v1\""], received: 0) == nil)
        #expect(incomplete(["ETag: \"v1\""], received: 10) == nil)
        #expect(incomplete(["ETag: \"v1\""], status: "203 Altered") == nil)
        #expect(incomplete(["ETag: \"v1\""], total: nil) == nil)
    }

    @Test func `the rest of the same version is appended`() throws {
        let incomplete = try #require(self.incomplete(["ETag: \"v1\""]))
        let rest = head("206 Partial", ["ETag: \"v1\"", "Content-Range: bytes 4-9/10"])
        #expect(incomplete.verdict(on: rest, length: 6) == .rest(total: 10))
        #expect(incomplete.verdict(on: rest, length: nil) == .rest(total: 10))
        let dated = try #require(self.incomplete([Self.modified, Self.date]))
        let datedRest = head("206 Partial", [Self.modified, "Content-Range: bytes 4-9/10"])
        #expect(dated.verdict(on: datedRest, length: 6) == .rest(total: 10))
    }

    @Test(
        arguments: [
            ["Content-Range: bytes 4-9/10"], ["ETag: \"v2\"", "Content-Range: bytes 4-9/10"],
            ["ETag: W/\"v1\"", "Content-Range: bytes 4-9/10"], ["ETag: \"v1\""],
            ["ETag: \"v1\"", "Content-Range: bytes 3-9/10"], ["ETag: \"v1\"", "Content-Range: bytes 5-9/10"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-8/10"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-10/11"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/*"], ["ETag: \"v1\"", "Content-Range: bytes */10"],
            ["ETag: \"v1\"", "Content-Range: items 4-9/10"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "Content-Encoding: br"],
            ["ETag: \"v1\"", "Content-Type: multipart/byteranges; boundary=x"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "Content-Range: bytes 0-1/2"],
            ["ETag: \"v1\"", "ETag: \"v2\"", "Content-Range: bytes 4-9/10"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "Cache-Control: max-age=9, no-store"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "Cache-Control: max-age=9, private"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "Cache-Control: max-age=9;no-store"],
            ["ETag: \"v1\"", "Content-Range: bytes 4-9/10", "CDN-Cache-Control: no-store"],
        ])
    func `another version or another part is not, and it is all asked for anew`(fields: [String]) throws {
        let incomplete = try #require(self.incomplete(["ETag: \"v1\""]))
        #expect(incomplete.verdict(on: head("206 Partial", fields), length: nil) == .startOver)
    }

    @Test(arguments: ["private", "no-store"])
    func `a rest that may be kept no more than what has begun is appended`(word: String) throws {
        let fields = ["ETag: \"v1\"", "Cache-Control: \(word)"]
        let incomplete = try #require(self.incomplete(fields))
        let rest = head("206 Partial", fields + ["Content-Range: bytes 4-9/10"])
        #expect(incomplete.verdict(on: rest, length: 6) == .rest(total: 10))
    }

    @Test func `a rest whose length contradicts its range is not`() throws {
        let incomplete = try #require(self.incomplete(["ETag: \"v1\""]))
        let rest = head("206 Partial", ["ETag: \"v1\"", "Content-Range: bytes 4-9/10"])
        #expect(incomplete.verdict(on: rest, length: 5) == .startOver)
    }

    @Test func `the whole is taken, a range that is none starts over, and all else ends it`() throws {
        let incomplete = try #require(self.incomplete(["ETag: \"v1\""]))
        #expect(incomplete.verdict(on: head("200 OK", []), length: 3) == .whole)
        #expect(incomplete.verdict(on: head("416 No", ["Content-Range: bytes */3"]), length: 0) == .startOver)
        for status in ["404 Gone", "503 Busy", "302 Found", "304 Not Modified", "204 Nothing"] {
            #expect(incomplete.verdict(on: head(status, []), length: 0) == .giveUp)
        }
    }
}
