// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Explain says what is held, how fresh it is, and what would happen now", .endToEnd)
struct ExplainTests {
    private let origin = ScriptedOrigin { peer in
        if peer.target == "/gone" { return peer.answer("404 Not Found") }
        if peer.target == "/moving" {
            return peer.picture(Pictures.animation(60, 40, frames: 3), maxAge: 1000)
        }
        peer.picture(
            Pictures.gradient(60, 40, hue: peer.target == "/stale" ? 1 : 2),
            maxAge: peer.target == "/stale" ? 0 : 1000,
            fields: ["Age: 400", "ETag: \"one\"", "Cache-Tag: a, b"])
    }

    private let daemon: DaemonUnderTest

    init() throws { daemon = try DaemonUnderTest() }

    private func explain(_ path: String, _ options: String = "w=30", accept: String = "") throws -> [String:
        Any]
    {
        let target = DaemonUnderTest.target(origin.url(path), options).replacing(
            "/img?", with: "/admin/explain?")
        let reply = try daemon.admin(target, fields: accept.isEmpty ? [] : [("Accept", accept)])
        #expect(reply.status == 200, "\(reply.text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
    }

    private func explain(target: String) throws -> [String: Any] {
        let escaped = try #require(target.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let reply = try daemon.admin("/admin/explain?target=\(escaped)")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any], "\(reply.text)")
    }

    private func forecast(_ path: String, _ options: String = "w=30") throws -> String {
        let forecast = try #require(try explain(path, options)["forecast"] as? [String: Any])
        #expect((forecast["why"] as? String)?.isEmpty == false)
        return try #require(forecast["outcome"] as? String)
    }

    @Test func `the outcome that is foretold is the one that comes`() throws {
        for (path, options, outcome) in [
            ("/a", "w=30", "rendered"), ("/a", "w=30", "memoryHit"), ("/a", "w=20", "rendered"),
            ("/stale", "w=30", "rendered"), ("/stale", "w=30", "revalidated"),
        ] {
            #expect(try forecast(path, options) == outcome, "\(path) \(options)")
            let reply = try daemon.get(origin.url(path), options)
            #expect(reply["Cache-Status"]?.hasSuffix(";detail=\(outcome)") == true)
        }
        _ = try daemon.get(origin.url("/gone"), "w=30")
        #expect(try forecast("/gone") == "negative")
        let failure = try #require(try explain("/gone")["failure"] as? [String: Any])
        #expect(failure["status"] as? Int == 404)
        #expect(failure["error"] as? String == "origin_status")
        #expect((1...60).contains(failure["remembered"] as? Int ?? 0))
    }

    @Test func `looking asks nobody and makes nothing`() throws {
        #expect(try forecast("/a") == "rendered")
        #expect(origin.heads.isEmpty)
        #expect(try explain("/a")["original"] == nil)
    }

    @Test func `every number of the freshness arithmetic has its name`() throws {
        _ = try daemon.get(origin.url("/a"), "w=30")
        let original = try #require(try explain("/a")["original"] as? [String: Any])
        #expect(original["format"] as? String == "png")
        #expect((original["width"] as? Int, original["height"] as? Int) == (60, 40))
        #expect(original["tags"] as? [String] == ["a", "b"])
        #expect((original["fields"] as? [String: String])?["etag"] == "\"one\"")
        #expect(original["renditions"] as? Int == 1)
        let freshness = try #require(original["freshness"] as? [String: Any])
        func number(_ name: String) throws -> Int { try #require(freshness[name] as? Int, "\(name)") }
        // And what the exchange took.
        #expect(try (400...460).contains(number("corrected_initial_age")))
        #expect(try number("now") - number("response_time") - number("resident_time") <= 1)
        #expect(try number("current_age") == number("corrected_initial_age") + number("resident_time"))
        #expect(try number("freshness_lifetime") == 1000)
        #expect(try number("seconds_left") == number("freshness_lifetime") - number("current_age"))
        #expect(try number("client_lifetime") == 1000)
        #expect(try number("stale_if_error") == 86_400)
        #expect(freshness["is_fresh"] as? Bool == true)
        #expect(freshness["cache_control"] as? String == "public, max-age=1000")
    }

    @Test(arguments: ["w=30&maxage=1h", "w=30&exp=\(Int(Date.now.timeIntervalSince1970) + 100_000)"])
    func `what clients are told is foretold with what the URL says of it`(options: String) throws {
        let reply = try daemon.get(origin.url("/a"), options)
        let original = try #require(try explain("/a", options)["original"] as? [String: Any])
        let freshness = try #require(original["freshness"] as? [String: Any])
        let told = try #require(freshness["cache_control"] as? String)
        // `maxage` counts from now on, so that `max-age` grows with the age.
        func words(_ control: String?) -> [String]? {
            control?.split(separator: ",").map { $0.hasPrefix(" max-age=4") ? "max-age=4…" : String($0) }
        }
        #expect(words(told) == words(reply["Cache-Control"]) && told != "public, max-age=1000", "\(told)")
    }

    @Test func `the format that is chosen comes with its reason, and the rendition with its place`() throws {
        let accept = "image/avif;q=0, image/webp"
        let reply = try daemon.get(origin.url("/a"), "w=30&output=auto", fields: [("Accept", accept)])
        let rendition = try #require(
            try explain("/a", "w=30&output=auto", accept: accept)["rendition"] as? [String: Any])
        #expect(rendition["format"] as? String == "webp")
        #expect((rendition["format_reason"] as? String)?.contains("Accept") == true)
        #expect(rendition["entity_tag"] as? String == reply["ETag"])
        #expect(rendition["held_in"] as? String == "memory")
        #expect(rendition["bytes"] as? Int == reply.body.count)
        #expect((rendition["width"] as? Int, rendition["height"] as? Int) == (30, 20))
        #expect((rendition["pixels_in"] as? Int, rendition["pixels_out"] as? Int) == (2400, 600))
        let plain = try #require(try explain("/a", "w=30&output=auto")["rendition"] as? [String: Any])
        #expect(plain["format"] as? String == "jpg" || plain["format"] as? String == "jpeg")
        #expect(plain["held_in"] == nil)
    }

    @Test(arguments: ["cx=5&cy=5&cw=20&ch=10", "w=30&cw=20&ch=10", "w=30&ro=90", "cx=2&cw=20&precrop&w=10"])
    func `what is told of a rendition's size before it is made is what comes out`(query: String) throws {
        _ = try daemon.get(origin.url("/a"), "w=31")
        func size() throws -> [Int?] {
            let rendition = try #require(try explain("/a", query)["rendition"] as? [String: Any])
            return ["width", "height", "pixels_out"].map { rendition[$0] as? Int }
        }
        let (told, body) = (try size(), try daemon.get(origin.url("/a"), "\(query)&output=png").body)
        // PNG: the sides stand in its first chunk.
        let sides = [16, 20].map { offset in body[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        #expect(told == [sides[0], sides[1], sides[0] * sides[1]])
        _ = try daemon.get(origin.url("/a"), query)
        #expect(try size() == told)
    }

    @Test func `an original that is handed on is told as it comes`() throws {
        let source = origin.url("/moving").absolute
        for target in [
            "/_next/image?url=\(source)&w=30&q=75", "/img?url=\(source)&w=30&asis=gif",
            "/img?url=\(source)&output=raw",
        ] {
            let reply = try daemon.get(target)
            #expect(reply["Content-Type"] == "image/gif")
            let rendition = try #require(try explain(target: target)["rendition"] as? [String: Any])
            #expect(rendition["recipe"] as? String == "output=raw", "\(target)")
            #expect(rendition["format"] as? String == "gif", "\(target)")
            #expect(rendition["entity_tag"] as? String == reply["ETag"], "\(target)")
            #expect((rendition["width"] as? Int, rendition["height"] as? Int) == (60, 40), "\(target)")
            let reason = try #require(rendition["format_reason"] as? String)
            #expect(reason.hasPrefix("the original's own bytes"), "\(target): \(reason)")
        }
    }

    @Test func `a request of another endpoint is explained by its target`() throws {
        let native = DaemonUnderTest.target(origin.url("/a"), "w=30")
        let query = String(native.dropFirst("/img".count))
        let source = origin.url("/a").absolute
        for target in [native, "http://img.test\(native)", "/\(query)", "/_next/image\(query)&q=75"] {
            func forecast() throws -> String? {
                let told = try explain(target: target)
                let asked = try #require(told["asked"] as? [String: Any])
                #expect(asked["source"] as? String == source)
                #expect((asked["recipe"] as? String)?.contains("w=30") == true)
                return (told["forecast"] as? [String: Any])?["outcome"] as? String
            }
            if target.hasPrefix("/") { #expect(try daemon.get(target).status == 200) }
            #expect(try forecast() == "memoryHit", "\(target)")
        }
        for target in [
            "%2Fnothing", "", "%2Fimg%3Furl%3Dhttp%253A%252F%252Fa%26w%3D0", "%2Fimg%3Furl%3Da&w=5",
        ] {
            let reply = try daemon.admin("/admin/explain?target=\(target)")
            #expect(reply.status == 400 && reply["Content-Type"] == "application/json", "\(target)")
        }
    }

    @Test func `a question that is no request is refused as the request would be`() throws {
        for query in ["", "url=", "url=http://a/&w=x", "url=http://a/&colour=1"] {
            #expect(try daemon.admin("/admin/explain?\(query)").status == 400, "\(query)")
        }
    }
}
