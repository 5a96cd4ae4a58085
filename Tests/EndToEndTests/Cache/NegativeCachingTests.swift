// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("What failed is not asked for again at once", .endToEnd)
struct NegativeCachingTests {
    private static let picture = Pictures.gradient(60, 40)

    /// An answer without a picture, and what is told of it.
    private struct Case {
        let line: String
        var fields: [String] = []
        let status: Int
        /// 0: it is not to be kept.
        let seconds: Int
    }

    /// Every target is answered by the case of its number.
    private func origin(_ cases: [Case]) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let example = cases[Int(peer.target.dropFirst()) ?? 0]
            let body = example.line.hasPrefix("204") ? "" : "no"
            peer.answer(example.line, fields: example.fields, body: body.utf8)
        }
    }

    private static let kept = [
        // By their class, where the status is cacheable by default.
        Case(line: "404 Not Found", status: 404, seconds: 60),
        Case(line: "410 Gone", status: 410, seconds: 60), Case(line: "405 No", status: 502, seconds: 100),
        Case(line: "501 No", status: 502, seconds: 200),
        // As long as they say, within the maximum.
        Case(line: "404 No", fields: ["Cache-Control: max-age=250"], status: 404, seconds: 250),
        Case(line: "404 No", fields: ["Cache-Control: max-age=99999"], status: 404, seconds: 300),
        Case(line: "404 No", fields: ["Cache-Control: max-age=200", "Age: 50"], status: 404, seconds: 150),
        Case(line: "503 Busy", fields: ["Cache-Control: max-age=90"], status: 503, seconds: 90),
        Case(line: "503 Busy", fields: ["Retry-After: 77"], status: 503, seconds: 77),
        Case(line: "302 Found", fields: ["Cache-Control: max-age=50"], status: 502, seconds: 50),
    ]

    @Test func `an error that may be kept is asked for once`() throws {
        let cases = Self.kept
        let origin = origin(cases)
        // So long that a slow machine asks again while it is known.
        let daemon = try DaemonUnderTest([
            "--negative-client-error", "100s", "--negative-server-error", "200s",
        ])
        for (number, example) in cases.enumerated() {
            let first = try daemon.get(origin.url("/\(number)"), "w=30")
            #expect(first.status == example.status)
            let granted = try #require(first["Cache-Control"]?.firstMatch(of: /^public, max-age=([0-9]+)$/))
            // Less where the exchange took its time.
            #expect((example.seconds - 30...example.seconds).contains(Int(granted.1) ?? 0), "\(example)")
            // In every size.
            #expect(try daemon.get(origin.url("/\(number)"), "w=20").status == example.status)
        }
        #expect(origin.heads.count == cases.count)
        #expect(try daemon.metric("pictor_origin_fetches_total") == cases.count)
    }

    @Test func `an error that is kept here alone is told to nobody for longer than its origin says`() throws {
        let cases = [
            Case(line: "404 No", fields: ["Cache-Control: s-maxage=250, max-age=9"], status: 404, seconds: 9),
            Case(line: "404 No", fields: ["Cache-Control: s-maxage=250, max-age=0"], status: 404, seconds: 0),
            Case(
                line: "404 No", fields: ["CDN-Cache-Control: max-age=250", "Cache-Control: no-store"],
                status: 404, seconds: 0),
            Case(
                line: "200 OK",
                fields: ["Content-Type: text/plain", "Cache-Control: s-maxage=250, max-age=9"], status: 415,
                seconds: 9),
            // A pause is kept in spite of it.
            Case(
                line: "503 Busy", fields: ["Retry-After: 100", "Cache-Control: no-store"], status: 503,
                seconds: 0),
        ]
        let origin = origin(cases)
        let daemon = try DaemonUnderTest()
        for (number, example) in cases.enumerated() {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url("/\(number)"))
                #expect(reply.status == example.status)
                let told = example.seconds > 0 ? "public, max-age=\(example.seconds)" : "no-store"
                #expect(reply["Cache-Control"] == told, "\(example)")
            }
        }
        #expect(origin.heads.count == cases.count)
    }

    @Test func `an error that must not be kept is asked for each time`() throws {
        let fields = [
            "Cache-Control: no-store", "Cache-Control: max-age=0", "Expires: Thu, 01 Jan 1970 00:00:00 GMT",
            "Cache-Control: private", "Cache-Control: max-age=60\r\nAge: 60", "Vary: *",
        ]
        let cases = fields.map { Case(line: "404 Not Found", fields: [$0], status: 404, seconds: 0) }
        let origin = origin(cases)
        let daemon = try DaemonUnderTest()
        for number in cases.indices {
            for _ in 1...3 {
                let reply = try daemon.get(origin.url("/\(number)"))
                #expect(reply.status == 404)
                #expect(reply["Cache-Control"] == "no-store", "\(cases[number])")
            }
        }
        #expect(origin.heads.count == 3 * cases.count)
    }

    @Test func `any other is asked for once more, and then left alone`() throws {
        let lines = ["403 Forbidden", "500 Oops", "503 Busy", "599 Whatever", "202 Accepted"]
        let origin = origin(lines.map { Case(line: $0, status: 0, seconds: 3600) })
        let daemon = try DaemonUnderTest(["--negative-client-error", "1h", "--negative-server-error", "1h"])
        for number in lines.indices {
            #expect(try daemon.get(origin.url("/\(number)"))["Cache-Control"] == "no-store")
            #expect(try daemon.get(origin.url("/\(number)"))["Cache-Control"] == "public, max-age=3600")
            for _ in 1...3 { #expect(try daemon.get(origin.url("/\(number)")).status >= 500) }
        }
        #expect(origin.heads.count == 2 * lines.count)
    }

    @Test func `the pause that an origin asks for is passed on, as far as it is not over`() throws {
        let origin = ScriptedOrigin { $0.answer("429 Too Many Requests", fields: ["Retry-After: 120"]) }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url())["Retry-After"] == "120")
        let later = try #require(try daemon.get(origin.url())["Retry-After"].flatMap(Int.init))
        #expect((1...120).contains(later))
        #expect(origin.heads.count == 1)
    }

    @Test func `a name without an address is not looked up again at once`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.withoutNames)
        let target = DaemonUnderTest.target("http://no-such-host.invalid/picture")
        let first = try daemon.get(target)
        #expect(first.status == 502)
        #expect(first["Cache-Control"] == "public, max-age=30")
        #expect(try daemon.get(target).status == 502)
        #expect(try daemon.metric("pictor_origin_fetches_total") == 1)
    }

    @Test func `what is no picture is asked about, and fetched again only when it has changed`() throws {
        let asked = Latch()
        let origin = ScriptedOrigin { peer in
            asked.signal()
            let lifetime = "Cache-Control: max-age=60"
            switch asked.count {
            // Expired on arrival, so that nobody has to wait.
            case 1: peer.answer(fields: ["ETag: \"1\"", lifetime, "Age: 60"], body: "words".utf8)
            case 2 where peer.has("If-None-Match: \"1\""):
                peer.answer("304 Not Modified", fields: ["Age: 60"])
            case 3 where peer.has("If-None-Match: \"1\""):
                peer.answer(fields: ["ETag: \"2\"", lifetime], body: Self.picture)
            default: peer.answer("500 Unexpected")
            }
        }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url(), "w=30").status == 415)
        #expect(try daemon.get(origin.url(), "w=30").status == 415)
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(origin.heads.count == 3)
    }

    /// "/latest…" leads to what is missing until it has been followed once, and to the picture after that.
    private func latest(_ redirect: [String]) -> ScriptedOrigin {
        let followed = Latch()
        return ScriptedOrigin { peer in
            switch peer.target {
            case "/missing": peer.answer("404 Not Found", fields: ["Cache-Control: max-age=300"])
            case "/words": peer.answer(fields: ["Cache-Control: max-age=300"], body: "words".utf8)
            case "/picture": peer.picture(Self.picture)
            default:
                let first = peer.target.replacing("/latest-", with: "/")
                peer.answer(
                    "302 Found", fields: ["Location: \(followed.count == 0 ? first : "/picture")"] + redirect)
                followed.signal()
            }
        }
    }

    @Test(arguments: ["missing", "words"])
    func `what a redirect led to is not known where the redirect may not be kept`(place: String) throws {
        let lines = [
            "Cache-Control: no-store", "Cache-Control: max-age=0", "Cache-Control: private",
            "Cache-Control: max-age=60\r\nAge: 60", "Vary: *", "X-Nothing: of that",
        ]
        let daemon = try DaemonUnderTest()
        for line in lines {
            let origin = latest([line])
            let first = try daemon.get(origin.url("/latest-\(place)"), "w=30")
            #expect(first.status == (place == "words" ? 415 : 404))
            #expect(first["Cache-Control"] == "no-store", "\(line)")
            #expect(try daemon.get(origin.url("/latest-\(place)"), "w=30").status == 200, "\(line)")
        }
    }

    @Test func `what a redirect led to is known no longer than the redirect holds`() throws {
        let origin = latest(["Cache-Control: max-age=100"])
        let daemon = try DaemonUnderTest()
        let first = try daemon.get(origin.url("/latest-missing"), "w=30")
        let granted = try #require(first["Cache-Control"]?.firstMatch(of: /^public, max-age=([0-9]+)$/))
        #expect((70...100).contains(Int(granted.1) ?? 0), "\(granted.0)")
        #expect(try daemon.get(origin.url("/latest-missing"), "w=30").status == 404)
        #expect(origin.heads.count == 2)
    }
}
