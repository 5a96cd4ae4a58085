// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestGrammar
import SourceURLs
import TestSupport
import Testing

@Suite("A watermark is an original of its own, fetched once and laid over pictures", .endToEnd)
struct WatermarkDaemonTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/red": peer.picture(Pictures.flat(4, 4, [255, 0, 0]))
        case "/also-red": peer.picture(Pictures.flat(4, 4, [255, 0, 0]))
        case "/blue": peer.picture(Pictures.flat(4, 4, [0, 0, 255]))
        case "/gone": peer.answer("404 Not Found")
        case "/private":
            peer.answer(fields: ["Cache-Control: no-store"], body: Pictures.flat(4, 4, [0, 255, 0]))
        default: peer.picture(Pictures.flat(40, 40, [255, 255, 255]))
        }
    }

    private func stamped(_ path: String) -> String {
        "wm=" + origin.url(path).escapedForQuery + "&wmp=tile&w=1&h=1"
    }

    @Test func `it is seen, and one fetch serves all pictures`() throws {
        let daemon = try DaemonUnderTest(["--encoder-png-compression", "0"])
        for path in ["/a", "/b"] {
            let reply = try daemon.get(origin.url(path), stamped("/red"))
            #expect(reply.status == 200, "\(reply.text)")
            #expect(Pictures.colour(ofPixel: reply.body) == [255, 0, 0])
        }
        #expect(origin.heads.filter { $0.hasPrefix("GET /red ") }.count == 1)
    }

    @Test func `an alias in its URL means what it means in a picture's, and dropped parameters are none`()
        throws
    {
        let folder = TemporaryFolder()
        let place = origin.url("/").absolute
        let profiles = folder.path + "/origins.yaml"
        try "a:\n  match: ['\(place)']\n  drop: [utm_*]\n".write(
            toFile: profiles, atomically: true, encoding: .utf8)
        let daemon = try DaemonUnderTest([
            "--encoder-png-compression", "0", "--origin-aliases", "media=\(place)", "--origin-profiles",
            profiles, "--options-watermarks", "named=media/red?utm_source=z",
        ])
        let urls = ["https://media/red", "https://media/red?utm_source=x", place + "red?utm_source=y"]
        for mark in try urls.map({ try SourceURL.parse($0).escapedForQuery }) + ["named"] {
            let reply = try daemon.get(origin.url("/a"), "wm=\(mark)&wmp=tile&w=1&h=1")
            #expect(reply.status == 200, "\(mark): \(reply.text)")
            #expect(Pictures.colour(ofPixel: reply.body) == [255, 0, 0])
        }
        #expect(origin.heads.filter { $0.hasPrefix("GET /red HTTP") }.count == 1)
        #expect(origin.heads.count == 2)
    }

    /// Pictures of 40 by 40, with a watermark of 4 by 4.
    @Test func `it lies where it is moved to, from whichever side`() throws {
        let daemon = try DaemonUnderTest()
        func picture(_ place: String) throws -> [UInt8] {
            let mark = origin.url("/red").escapedForQuery
            let reply = try daemon.get(origin.url("/a"), "wm=\(mark)&\(place)&output=png")
            #expect(reply.status == 200, "\(reply.text)")
            return Array(reply.body)
        }
        let moved = try picture("wmp=top-left&wmx=10&wmy=20")
        for place in [
            "wmp=bottom-right&wmx=26&wmy=16", "wmp=top-right&wmx=26&wmy=20", "wmp=center&wmx=-8&wmy=2",
            "wmp=top-left&wmx=25%25&wmy=50%25", "wmp=left&wmx=10&wmy=2", "wmp=top-left&wmx=5&wmy=10&dpr=2",
        ] {
            #expect(try picture(place) == moved, "\(place)")
        }
        #expect(try picture("wmp=top-left") != moved)
        #expect(try picture("wmp=top-left&wmx=-5&wmy=-5") == picture("wmp=top-left"))
        #expect(try picture("wmp=top-left&wmx=99&wmy=99") == picture("wmp=bottom-right"))
    }

    @Test func `other bytes are another rendition, the same bytes the same`() throws {
        let daemon = try DaemonUnderTest()
        let tags = try ["/red", "/also-red", "/blue"].map {
            try daemon.get(origin.url("/a"), stamped($0))["ETag"]
        }
        #expect(tags[0] == tags[1])
        #expect(tags[0] != tags[2])
        #expect(try daemon.metric("pictor_renders_total") == 2)
    }

    @Test func `a watermark that cannot be had is a refusal`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/a"), stamped("/gone")).status == 404)
        #expect(try daemon.get(origin.url("/a"), "wm=unknown").status == 400)
        let strict = try DaemonUnderTest([
            "--origin-allow-private", "false", "--origin-allow-networks", "127.0.0.0/8",
        ])
        #expect(try strict.get(origin.url("/a"), "wm=http%3A%2F%2F10.0.0.1%2Fx").status == 400)
    }

    @Test func `what lies under a watermark that may not be kept is not kept either`() throws {
        let daemon = try DaemonUnderTest()
        for _ in 1...2 {
            let reply = try daemon.get(origin.url("/a"), stamped("/private"))
            #expect(reply["Cache-Status"]?.contains("detail=bypassed") == true)
        }
        #expect(origin.heads.filter { $0.hasPrefix("GET /private ") }.count == 2)
    }

    @Test func `a watermark that is to be asked for each time is, under a picture that is fresh for long`()
        throws
    {
        let origin = ScriptedOrigin { peer in
            let fields =
                peer.target == "/mark" ? "Cache-Control: no-cache, max-age=3600" : "Cache-Control: max-age=60"
            peer.answer(fields: [fields], body: Pictures.flat(4, 4, [0, 255, 0]))
        }
        let daemon = try DaemonUnderTest()
        let options = "w=1&wm=" + origin.url("/mark").escapedForQuery
        for _ in 1...3 { #expect(try daemon.get(origin.url("/a"), options).status == 200) }
        #expect(origin.heads.filter { $0.hasPrefix("GET /mark ") }.count == 3)
        #expect(origin.heads.filter { $0.hasPrefix("GET /a ") }.count == 1)
    }

    @Test func `a picture for one client alone stays so under a watermark that ends sooner`() throws {
        let origin = ScriptedOrigin { peer in
            let fields =
                peer.target == "/mark"
                ? ["Cache-Control: max-age=10"]
                : ["CDN-Cache-Control: max-age=60", "Cache-Control: private, max-age=30"]
            peer.answer(fields: fields, body: Pictures.flat(4, 4, [0, 255, 0]))
        }
        let daemon = try DaemonUnderTest()
        let options = "w=1&wm=" + origin.url("/mark").escapedForQuery
        for _ in 1...2 {
            let control = try daemon.get(origin.url("/a"), options)["Cache-Control"] ?? ""
            #expect(control.contains("private") && !control.contains("public"), "\(control)")
        }
    }

    @Test(arguments: ["url", "tag"])
    func `a picture goes with the watermark that it bears`(member: String) throws {
        let asked = Latch()
        let origin = ScriptedOrigin { peer in
            guard peer.target == "/mark" else { return peer.picture(Pictures.flat(40, 40, [255, 255, 255])) }
            asked.signal()
            peer.picture(
                Pictures.flat(4, 4, asked.count == 1 ? [255, 0, 0] : [0, 0, 255]), fields: ["Cache-Tag: logo"]
            )
        }
        let daemon = try DaemonUnderTest(
            ["--encoder-png-compression", "0"], environment: DaemonUnderTest.trusting)
        let options = "wm=" + origin.url("/mark").escapedForQuery + "&wmp=tile&w=1&h=1"
        for _ in 1...3 {
            let reply = try daemon.get(origin.url("/a"), options)
            #expect(Pictures.colour(ofPixel: reply.body) == [255, 0, 0])
        }
        let meant = member == "url" ? origin.url("/mark").absolute : "logo"
        let order = try daemon.order("/admin/purge", "{\"\(member)\":\"\(meant)\"}")
        #expect(order.text.contains("\"answers\":1,"), "\(order.text)")
        let reply = try daemon.get(origin.url("/a"), options)
        #expect(Pictures.colour(ofPixel: reply.body) == [0, 0, 255])
        #expect(asked.count == 2)
    }

    @Test func `the settings name watermarks, remote ones and files`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/logo.png"
        try Data(Pictures.flat(4, 4, [0, 128, 0])).write(to: URL(filePath: path))
        let daemon = try DaemonUnderTest([
            "--options-watermarks", "logo=\(path),red=\(origin.url("/red").absolute)",
            "--encoder-png-compression", "0",
        ])
        for (name, colour) in [("logo", [0, 128, 0]), ("red", [255, 0, 0])] as [(String, [UInt8])] {
            let reply = try daemon.get(origin.url("/a"), "wm=\(name)&wmp=tile&w=1&h=1")
            #expect(Pictures.colour(ofPixel: reply.body) == colour, "\(reply.text.prefix(200))")
        }
        for text in ["logo", "logo=/nowhere", "logo=ftp://x", "logo=\(folder.path)"] {
            #expect(throws: DaemonUnderTest.DidNotStart.self) {
                try DaemonUnderTest(["--options-watermarks", text])
            }
        }
    }
}
