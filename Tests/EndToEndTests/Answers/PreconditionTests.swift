// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// RFC 9110 §13, on both ways: a cold daemon answers the first request on the long way, and the same request again by the
/// cached answer where that dares to.
@Suite("A request's conditions are judged in the order of the RFC, on both ways", .endToEnd)
struct PreconditionTests {
    private static let before = "Mon, 06 Jul 2020 10:00:00 GMT"
    private static let modified = "Tue, 07 Jul 2020 10:00:00 GMT"
    private static let after = "Wed, 08 Jul 2020 10:00:00 GMT"

    private static let origin = ScriptedOrigin { peer in
        peer.picture(Pictures.gradient(60, 40), fields: ["Last-Modified: \(modified)"])
    }

    /// `TAG` stands for the answer's entity tag.
    private static let cases: [(fields: [(String, String)], status: Int)] = [
        ([("If-None-Match", "TAG")], 304), ([("If-None-Match", "W/TAG")], 304),
        ([("If-None-Match", "*")], 304),
        ([("If-None-Match", "\"x\", W/\"y\",, TAG")], 304), ([("If-None-Match", "\"x\"")], 200),
        ([("If-None-Match", "")], 200), ([("If-None-Match", "\"a, TAG")], 200),
        ([("If-None-Match", "\"x\""), ("If-None-Match", "TAG")], 304),
        // A date is not looked at beside a tag.
        ([("If-None-Match", "\"x\""), ("If-Modified-Since", after)], 200),
        ([("If-None-Match", "TAG"), ("If-Modified-Since", before)], 304),
        ([("If-Modified-Since", modified)], 304), ([("If-Modified-Since", after)], 304),
        ([("If-Modified-Since", before)], 200), ([("If-Modified-Since", "yesterday")], 200),
        ([("If-Modified-Since", modified), ("If-Modified-Since", modified)], 200),
        ([("If-Modified-Since", "Tuesday, 07-Jul-20 10:00:00 GMT")], 304),
        ([("If-Match", "TAG")], 200), ([("If-Match", "*")], 200), ([("If-Match", "\"x\", TAG")], 200),
        ([("If-Match", "W/TAG")], 412), ([("If-Match", "\"x\"")], 412), ([("If-Match", "")], 412),
        ([("If-Unmodified-Since", modified)], 200), ([("If-Unmodified-Since", before)], 412),
        ([("If-Unmodified-Since", "yesterday")], 200),
        // If-Match comes before If-Unmodified-Since, and both before the others.
        ([("If-Match", "TAG"), ("If-Unmodified-Since", before)], 200),
        ([("If-Match", "\"x\""), ("If-None-Match", "TAG")], 412),
        ([("If-Match", "TAG"), ("If-None-Match", "TAG")], 304),
        ([("If-Unmodified-Since", before), ("If-None-Match", "TAG")], 412),
        ([("If-Match", "TAG"), ("If-Modified-Since", modified)], 304),
    ]

    private static let ranges: [(fields: [(String, String)], status: Int)] = [
        ([("Range", "bytes=0-9")], 206), ([("Range", "bytes=-5")], 206), ([("Range", "bytes=5-")], 206),
        ([("Range", "bytes=0-9"), ("If-Range", "TAG")], 206),
        ([("Range", "bytes=0-9"), ("If-Range", "\"x\"")], 200),
        ([("Range", "bytes=0-9"), ("If-Range", "W/TAG")], 200),
        ([("Range", "bytes=0-9"), ("If-Range", modified)], 200),
        ([("Range", "bytes=99999-")], 416), ([("Range", "bytes=99999-"), ("If-Range", "\"x\"")], 200),
        ([("Range", "bytes=0-1,3-4")], 200), ([("Range", "lines=0-1")], 200), ([("If-Range", "TAG")], 200),
        ([("Range", "bytes=0-9"), ("If-None-Match", "TAG")], 304),
        ([("Range", "bytes=0-9"), ("If-Match", "\"x\"")], 412),
    ]

    private static func fill(_ fields: [(String, String)], _ tag: String) -> [(String, String)] {
        fields.map { ($0.0, $0.1.replacing("TAG", with: tag)) }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `each condition and each pair of them has its status`(method: String) throws {
        let daemon = try DaemonUnderTest()
        let whole = try daemon.get(Self.origin.url(), "w=30")
        let tag = try #require(whole["ETag"])
        for (number, (fields, status)) in Self.cases.enumerated() {
            for way in ["shortcut", "long"] {
                // PNG has no quality: it is the same picture under a target that was not asked for before.
                let options = way == "long" ? "w=30&q=\(number + 1)" : "w=30"
                let reply = try daemon.get(
                    Self.origin.url(), options, method: method, fields: Self.fill(fields, tag))
                #expect(reply.status == status, "\(method) \(fields) by the \(way) way")
                if status == 304 {
                    #expect(reply["ETag"] == tag && reply["Cache-Control"] == whole["Cache-Control"])
                    #expect(reply["Last-Modified"] == Self.modified && reply["Content-Length"] == nil)
                }
                if method == "HEAD", status == 200 {
                    #expect(reply["Content-Length"] == "\(whole.body.count)" && reply.body.isEmpty)
                }
            }
        }
    }

    @Test func `without a last modification the date of an answer is one that If-Modified-Since may name`()
        throws
    {
        let undated = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let whole = try daemon.get(undated.url(), "w=30")
        #expect(whole["Last-Modified"] == nil)
        let date = try #require(whole["Date"])
        for (number, (since, status)) in [
            (date, 304), ("Wed, 08 Jul 2099 10:00:00 GMT", 304), (Self.before, 200), ("yesterday", 200),
        ].enumerated() {
            for options in ["w=30", "w=30&q=\(number + 1)"] {
                let reply = try daemon.get(undated.url(), options, fields: [("If-Modified-Since", since)])
                #expect(reply.status == status, "\(since) \(options)")
            }
        }
        // What is not known of a date is not known to fail.
        let fields = [("If-Unmodified-Since", Self.before)]
        #expect(try daemon.get(undated.url(), "w=30", fields: fields).status == 200)
    }

    @Test func `a range is sent where If-Range names these very bytes`() throws {
        let daemon = try DaemonUnderTest()
        let whole = try daemon.get(Self.origin.url(), "w=30")
        let tag = try #require(whole["ETag"])
        for (fields, status) in Self.ranges {
            let reply = try daemon.get(Self.origin.url(), "w=30", fields: Self.fill(fields, tag))
            #expect(reply.status == status, "\(fields)")
            if status == 200 { #expect(reply.body == whole.body) }
            if status == 416 { #expect(reply["Content-Range"] == "bytes */\(whole.body.count)") }
        }
        let part = try daemon.get(
            Self.origin.url(), "w=30", fields: [("Range", "bytes=10-19"), ("If-Range", tag)])
        #expect(part.body == Array(whole.body[10..<20]))
        #expect(part["Content-Range"] == "bytes 10-19/\(whole.body.count)")
        // RFC 9110 §14.2: a range means something for GET alone.
        let head = try daemon.get(
            Self.origin.url(), "w=30", method: "HEAD", fields: [("Range", "bytes=0-9")])
        #expect((head.status, head["Content-Length"]) == (200, "\(whole.body.count)"))
    }

    @Test func `a refusal is no picture that a condition could be about`() throws {
        let gone = ScriptedOrigin { $0.answer("404 Not Found") }
        let daemon = try DaemonUnderTest()
        for fields in [[("If-None-Match", "*")], [("If-Match", "\"x\"")], [("Range", "bytes=0-1")]] {
            #expect(try daemon.get(gone.url(), "w=30", fields: fields).status == 404)
        }
    }
}
