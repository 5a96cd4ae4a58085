// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
import TestSupport
import Testing

@Suite("A picture is used without asking for as long as its origin's fields say, and no longer", .endToEnd)
struct FreshnessDaemonTests {
    /// `D<seconds>` in a field stands for a date so far from now.
    private struct Case {
        let fields: [String]
        let isFresh: Bool

        init(_ isFresh: Bool, _ fields: String...) {
            self.fields = fields
            self.isFresh = isFresh
        }
    }

    private static let cases = [
        Case(true, "Cache-Control: max-age=3600"), Case(false, "Cache-Control: max-age=0"),
        Case(true, "Cache-Control: MAX-AGE=3600, foo=bar"), Case(true, "Cache-Control: max-age=\"3600\""),
        Case(true, "Cache-Control: max-age=99999999999"), Case(false, "Cache-Control: max-age=-1"),
        Case(false, "Cache-Control: max-age=3600.5"), Case(false, "Cache-Control: max-age=x"),
        Case(false, "Cache-Control: max-age=0, max-age=3600"),
        Case(false, "Cache-Control: max-age=0, extension=\"max-age=3600\""),
        Case(true, "Cache-Control: max-age=0, s-maxage=3600"),
        Case(false, "Cache-Control: max-age=3600, s-maxage=0"),
        Case(false, "Cache-Control: max-age=3600", "Age: 3600"),
        Case(true, "Cache-Control: max-age=3600", "Age: 600"),
        Case(false, "Cache-Control: max-age=3600", "Date: D-3600"),
        Case(true, "Cache-Control: max-age=3600", "Date: D86400"),
        Case(true, "Cache-Control: max-age=3600", "Date: x"),
        Case(true, "Cache-Control: max-age=3600", "Age: -1"),
        Case(false, "Cache-Control: max-age=3600", "Age: 9999999999"),
        Case(true, "Expires: D3600"), Case(false, "Expires: D-1"), Case(false, "Expires: 0"),
        Case(false, "Expires: -1"),
        Case(false, "Expires: Thu, 18 Aug 2050 02:01:18 UTC"),
        Case(true, "Expires: Thursday, 18-Aug-50 02:01:18 GMT"),
        Case(true, "Expires: Thu Aug 18 02:01:18 2050"), Case(false, "Expires: D3600", "Date: D3600"),
        Case(true, "Cache-Control: max-age=3600", "Expires: 0"),
        Case(false, "Cache-Control: max-age=0", "Expires: D3600"),
        Case(false, "Cache-Control: no-cache, max-age=3600"),
        Case(true, "Cache-Control: no-cache=\"x\", max-age=3600"),
        Case(false, "Cache-Control: no-store, max-age=3600"),
        Case(false, "Cache-Control: private, max-age=3600"),
        Case(true, "Cache-Control: private=\"x\", max-age=3600"),
        Case(true, "Cache-Control: no-store, must-understand, max-age=3600"),
        Case(true, "Cache-Control: max-age=3600, must-revalidate"),
        Case(true, "Cache-Control: max-age=3600, immutable"),
        Case(false, "Cache-Control: max-age=0, immutable"), Case(false, "Pragma: no-cache", "Expires: D3600"),
        Case(true, "Pragma: no-cache", "Cache-Control: max-age=3600"),
        Case(true, "Last-Modified: D-86400"), Case(false, "Last-Modified: D-5"),
        Case(false, "Last-Modified: D5"),
        Case(false, "Last-Modified: D-86400", "Expires: 0"), Case(false),
        Case(true, "CDN-Cache-Control: max-age=3600", "Cache-Control: no-store"),
        Case(false, "CDN-Cache-Control: max-age=0", "Cache-Control: max-age=3600"),
        Case(false, "CDN-Cache-Control: no-cache", "Cache-Control: max-age=3600"),
        Case(true, "CDN-Cache-Control: max-age=\"1\"", "Cache-Control: max-age=3600"),
        Case(false, "CDN-Cache-Control: foo", "Expires: D3600"),
    ]

    /// The dates in it become real ones.
    private static func dated(_ field: String) -> String {
        guard let match = field.firstMatch(of: /D(-?[0-9]+)$/), let seconds = Int64(match.1) else {
            return field
        }
        let now = Timestamp(seconds: Int64(Date.now.timeIntervalSince1970))
        return field.prefix(upTo: match.range.lowerBound) + HTTPDate.format(now.adding(seconds: seconds))
    }

    /// Where nothing is added to what origins say.
    private static let strict = ["--cache-default-lifetime", "0s", "--cache-stale-if-error", "0s"]

    @Test func `every field counts as the RFCs say`() throws {
        let picture = Pictures.gradient(6, 4)
        let origin = ScriptedOrigin { peer in
            let fields = Self.cases[Int(peer.target.dropFirst()) ?? 0].fields
            peer.answer(fields: fields.map(Self.dated), body: picture)
        }
        let daemon = try DaemonUnderTest(Self.strict)
        var asked = 0
        for (number, example) in Self.cases.enumerated() {
            for _ in 1...2 {
                #expect(try daemon.get(origin.url("/\(number)"), "w=3").status == 200, "\(example.fields)")
            }
            asked += example.isFresh ? 1 : 2
            let count = origin.heads.count
            #expect(count == asked, "\(example.fields)")
            asked = count
        }
    }

    @Test(
        arguments: [
            ("Cache-Control: max-age=3600", 1), ("Cache-Control: no-store", 2),
            ("Cache-Control: max-age=0", 2),
            ("Expires: 0", 2), ("X-Nothing: said", 1),
        ])
    func `a redirect's own lifetime bounds what it led to`(field: String, rounds: Int) throws {
        let origin = ScriptedOrigin { peer in
            if peer.target == "/picture" { return peer.picture(Pictures.gradient(6, 4), maxAge: 31_536_000) }
            peer.answer("302 Found", fields: ["Location: /picture", field])
        }
        // One that says nothing is good for as long as an original that says nothing.
        let daemon = try DaemonUnderTest(["--cache-default-lifetime", "1h"])
        for _ in 1...2 { #expect(try daemon.get(origin.url("/latest"), "w=3").status == 200) }
        #expect(origin.heads.count == 2 * rounds)
    }

    @Test(arguments: [
        (["--cache-minimum-lifetime", "10m"], "Cache-Control: max-age=5", 600),
        (["--cache-maximum-lifetime", "20m"], "Cache-Control: max-age=86400", 1_200),
        (["--cache-default-lifetime", "30m"], "X-Nothing: said", 1_800),
        (["--cache-heuristic-fraction", "0.5"], "Last-Modified: D-6000", 3_000),
        (["--cache-heuristic-maximum", "40m"], "Last-Modified: D-864000", 2_400),
    ])
    func `the settings bound what the origin says, and say what it leaves open`(
        flags: [String], field: String, seconds: Int
    ) throws {
        let picture = Pictures.gradient(6, 4)
        let origin = ScriptedOrigin { $0.answer(fields: [Self.dated(field)], body: picture) }
        let daemon = try DaemonUnderTest(flags)
        for _ in 1...2 {
            let reply = try daemon.get(origin.url(), "w=3")
            let left = try #require(
                reply["Cache-Status"]?.firstMatch(of: /ttl=([0-9]+)/).flatMap { Int($0.1) })
            // A minute for a machine that takes its time.
            #expect(abs(left - seconds) <= 60, "\(left)")
        }
        #expect(origin.heads.count == 1)
    }

    @Test func `an original that comes back with other bytes, or not at all, ends its pictures in memory`()
        throws
    {
        let fetches = Latch()
        let origin = ScriptedOrigin { peer in
            fetches.signal()
            switch fetches.count {
            case 1: peer.picture(Pictures.gradient(60, 40))
            case 2: peer.picture(Pictures.gradient(40, 60))
            default: peer.answer("404 Not Found", fields: ["Cache-Control: max-age=60"])
            }
        }
        let daemon = try DaemonUnderTest()
        /// As after an eviction.
        func loseOriginals() throws {
            for file in daemon.cache.files(in: "originals") {
                try FileManager.default.removeItem(atPath: "\(daemon.cache.path)/originals/\(file)")
            }
        }
        let former = try daemon.get(origin.url(), "w=30")
        #expect(try daemon.get(origin.url(), "w=30")["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
        try loseOriginals()
        #expect(try daemon.get(origin.url(), "w=20").status == 200)
        let latter = try daemon.get(origin.url(), "w=30")
        #expect(latter.status == 200 && latter["ETag"] != former["ETag"])
        #expect(try daemon.get(origin.url(), "w=30")["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
        #expect(fetches.count == 2)
        try loseOriginals()
        #expect(try daemon.get(origin.url(), "w=10").status == 404)
        #expect(try daemon.get(origin.url(), "w=30").status == 404)
        #expect(fetches.count == 3)
    }

    @Test func `a least lifetime is Pictor's own, and clients are told the origin's`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(Pictures.gradient(6, 4), maxAge: peer.target == "/short" ? 5 : 3_600)
        }
        let daemon = try DaemonUnderTest(["--cache-minimum-lifetime", "10m"])
        for (target, seconds) in [("/short", 5), ("/long", 3_600)] {
            let reply = try daemon.get(origin.url(target), "w=3")
            let control = try #require(reply["Cache-Control"])
            let lifetime = try #require(control.firstMatch(of: /max-age=([0-9]+)/).flatMap { Int($0.1) })
            // It counts from when the origin answered, which a machine that takes its time has left behind.
            #expect(lifetime - (reply["Age"].flatMap { Int($0) } ?? 0) == seconds, "\(control)")
        }
    }

    @Test func `a picture behind a proxy that altered it is a picture`() throws {
        let origin = ScriptedOrigin {
            $0.answer(
                "203 Transformed", fields: ["Cache-Control: max-age=3600"], body: Pictures.gradient(6, 4))
        }
        let daemon = try DaemonUnderTest()
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "w=3").status == 200) }
        #expect(origin.heads.count == 1)
    }
}
