// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("output=json tells what is known of a picture, without a decoder", .endToEnd)
struct JSONOutputTests: Reloading {
    let folder = TemporaryFolder()
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func members(_ reply: Connection.Reply) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
    }

    @Test func `the header's facts, and the size of the result`() throws {
        let daemon = try DaemonUnderTest()
        for (options, size) in [
            ("", [60, 40]), ("w=30", [30, 20]), ("w=20&h=20&fit=cover", [20, 20]), ("w=30&ro=90", [20, 30]),
            ("w=600", [60, 40]), ("cx=10&cy=10&cw=50%25", [30, 30]), ("mask=circle&mtrim", [40, 40]),
        ] {
            let reply = try daemon.get(origin.url(), "output=json" + (options.isEmpty ? "" : "&" + options))
            #expect(reply.status == 200)
            #expect(reply["Content-Type"] == "application/json")
            let members = try members(reply)
            #expect([members["width"] as? Int, members["height"] as? Int] == size, "\(options)")
            #expect(members["format"] as? String == "png")
            #expect(members["space"] as? String == "srgb")
            #expect(members["channels"] as? Int == 3)
            #expect(members["alpha"] as? Bool == false)
            #expect(members["orientation"] as? Int == 1)
        }
        #expect(try daemon.metric("pictor_renders_total") == 0)
        #expect(origin.heads.count == 1)
    }

    @Test func `stand-ins and colours come from the pixels`() throws {
        let daemon = try DaemonUnderTest()
        let flat = ScriptedOrigin { $0.picture(Pictures.flat(60, 40, [200, 100, 50])) }
        let told = try members(
            daemon.get(flat.url(), "output=json&json=average,blurhash,dominant,thumbhash&w=5"))
        #expect(told["average"] as? String == "#c86432" && told["dominant"] as? String == "#c86432")
        let hash = try #require(told["blurhash"] as? String)
        #expect(hash.count == 28 && hash.hasPrefix("L"))
        #expect(told["thumbhash"] is String && told["width"] as? Int == 5)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `one fetch tells all of a picture that may not be kept`() throws {
        let daemon = try DaemonUnderTest()
        let flat = ScriptedOrigin {
            $0.answer(fields: ["Cache-Control: no-store"], body: Pictures.flat(60, 40, [200, 100, 50]))
        }
        let told = try members(daemon.get(flat.url(), "output=json&json=average"))
        #expect(told["average"] as? String == "#c86432" && told["width"] as? Int == 60)
        #expect(flat.heads.count == 1)
    }

    @Test func `it is cached and validated like a picture`() throws {
        let daemon = try DaemonUnderTest()
        let first = try daemon.get(origin.url(), "output=json")
        let second = try daemon.get(origin.url(), "output=json")
        #expect(second.body == first.body)
        #expect(second["Cache-Status"]?.contains("detail=memoryHit") == true)
        let third = try daemon.get(
            origin.url(), "output=json", fields: [("If-None-Match", first["ETag"] ?? "")])
        #expect(third.status == 304)
    }

    @Test func `its tag is that of its words, which settings change`() throws {
        let wide = ScriptedOrigin { $0.picture(Pictures.gradient(1_000, 40)) }
        try write("options:", "  width-ladder: [100, 200]")
        let daemon = try daemon()
        let first = try daemon.get(wide.url(), "output=json&json=srcset")
        let tag = [("If-None-Match", try #require(first["ETag"]))]
        #expect(try daemon.get(wide.url(), "output=json&json=srcset", fields: tag).status == 304)
        try write("options:", "  width-ladder: [100, 300]")
        _ = try reload(daemon)
        for _ in 1...2 {
            let second = try daemon.get(wide.url(), "output=json&json=srcset", fields: tag)
            #expect(second.status == 200 && second["ETag"] != first["ETag"] && second.body != first.body)
        }
        // What has the same words has the same tag, and it is not a picture's.
        let plain = try daemon.get(wide.url(), "output=json")
        #expect(try daemon.get(wide.url(), "output=json&v=2")["ETag"] == plain["ETag"])
        #expect(try daemon.get(wide.url())["ETag"] != plain["ETag"])
    }

    @Test func `a page behind the last is refused as of the picture`() throws {
        let daemon = try DaemonUnderTest()
        for options in ["page=1", "page=1&output=json", "page=1&output=json&json=average"] {
            let reply = try daemon.get(origin.url(), options)
            #expect(reply.status == 400 && reply.text.contains("beyond the last of 1"), "\(options)")
        }
        #expect(try daemon.get(origin.url(), "page=-1&output=json").status == 200)
    }

    @Test func `wsrv.nl's dialect has its names`() throws {
        let daemon = try DaemonUnderTest()
        let target = "/" + DaemonUnderTest.target(origin.url(), "output=json&w=120").dropFirst("/img".count)
        let members = try members(try daemon.get(target))
        #expect(Set(members.keys).isSuperset(of: ["isProgressive", "hasProfile", "hasAlpha", "depth"]))
        #expect(members["width"] as? Int == 120)
    }

    @Test func `wsrv.nl's dialect tells which picture of an AVIF is the primary one`() throws {
        let daemon = try DaemonUnderTest()
        let picture = Array(try daemon.get(origin.url(), "output=avif").body)
        let avif = ScriptedOrigin { $0.picture(picture) }
        for (path, source, primary) in [("/", avif, 0), ("/img", avif, nil), ("/", origin, nil)]
            as [(String, ScriptedOrigin, Int?)]
        {
            let query = DaemonUnderTest.target(source.url("/p"), "output=json").dropFirst("/img".count)
            #expect(try members(try daemon.get(path + query))["pagePrimary"] as? Int == primary)
        }
    }

    @Test func `a srcset holds URLs that lead here`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.flat(700, 10, [1, 2, 3])) }
        let daemon = try DaemonUnderTest()
        let source = try SourceURL.parse(origin.url("/a").absolute + "?x=1&y=(2,%203)")
        let set = try #require(
            try members(try daemon.get(source, "output=json&json=srcset"))["srcset"] as? String)
        let entries = set.components(separatedBy: ", ").map { $0.components(separatedBy: " ") }
        #expect(entries.map(\.[1]) == ["320w", "480w", "640w", "700w"])
        for entry in entries {
            let header = try ImageHeader.parse(try daemon.get(entry[0]).body)
            #expect("\(header.width)w" == entry[1])
        }
    }

    @Test func `a srcset names an alias as its request does`() throws {
        let daemon = try DaemonUnderTest(["--origin-aliases", "media=\(origin.url("/").absolute)"])
        let asked = "output=json&json=srcset&wm=https%3A%2F%2Fmedia%2Fmark"
        let set = try #require(
            try members(try daemon.get("/img?url=media/a&\(asked)"))["srcset"] as? String)
        #expect(set.contains("url=https%3A%2F%2Fmedia%2Fa&") && !set.contains("127.0.0.1"), "\(set)")
        #expect(try daemon.get(String(try #require(set.split(separator: " ").first))).status == 200)
    }

    @Test func `a srcset of /img hands its pictures over as it was asked to`() throws {
        let daemon = try DaemonUnderTest()
        let asked = "output=json&json=srcset&filename=cat&maxage=1d&v=7"
        let set = try #require(try members(try daemon.get(origin.url(), asked))["srcset"] as? String)
        let link = String(try #require(set.split(separator: " ").first))
        #expect(link.hasSuffix("&filename=cat&v=7&maxage=86400"), "\(link)")
        #expect(try daemon.get(link)["Content-Disposition"]?.contains("filename=cat.") == true)
        let target = "/" + DaemonUnderTest.target(origin.url(), asked).dropFirst("/img".count)
        let other = try #require(try members(try daemon.get(target))["srcset"] as? String)
        #expect(other.hasPrefix("/img?") && !other.contains("filename"), "\(other)")
    }
}
