// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("/_next/image hands on what Next.js does not work on", .endToEnd)
struct NextOriginalTests {
    private static let bitmap = WindowsPictures.bitmap(40, 20)
    private static let icon = WindowsPictures.icon(64)
    private static let moving = Pictures.animation(60, 40, frames: 3)
    /// Counts the answers with the picture that changes.
    private static let turns = Atomic<Int>(0)

    private let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/a.ico": peer.picture(icon)
        case "/a.bmp": peer.picture(bitmap)
        case "/moving.gif": peer.picture(moving)
        case "/still.gif": peer.picture(Pictures.animation(60, 40, frames: 1))
        default: peer.picture(Pictures.gradient(60, 40))
        }
    }

    private func get(
        _ daemon: DaemonUnderTest, _ path: String, _ fields: [(String, String)] = []
    ) throws -> Connection.Reply {
        try daemon.get(
            "/_next/image?url=\(origin.url(path).absolute)&w=30&q=75",
            fields: fields + [("Accept", "image/webp,*/*")])
    }

    @Test func `icons, bitmaps and animations come as they are, and are harmless`() throws {
        let daemon = try DaemonUnderTest()
        for (path, type, bytes) in [
            ("/a.ico", "image/x-icon", Self.icon), ("/a.bmp", "image/bmp", Self.bitmap),
            ("/moving.gif", "image/gif", Self.moving),
        ] {
            var tag: String?
            for _ in 1...3 {
                let reply = try get(daemon, path)
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.body == bytes, "\(path)")
                #expect(reply["Content-Type"] == type)
                #expect(reply["Vary"] == "Accept")
                #expect(reply["X-Content-Type-Options"] == "nosniff")
                #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
                #expect(reply["Content-Disposition"] == "attachment; filename=\(path.dropFirst())")
                tag = reply["ETag"]
            }
            let again = try get(daemon, path, [("If-None-Match", try #require(tag))])
            #expect(again.status == 304)
        }
        #expect(try daemon.metric("pictor_renders_total") == 0)
        #expect(origin.heads.count == 3)
    }

    @Test func `stills are resized, and so is everything where the settings say so`() throws {
        let daemon = try DaemonUnderTest()
        for path in ["/a.png", "/still.gif"] {
            let reply = try get(daemon, path)
            #expect(reply["Content-Type"] == "image/webp")
            #expect(try ImageHeader.parse(reply.body).width == 30)
        }
        let optimising = try DaemonUnderTest(["--next-unoptimized", ""])
        for path in ["/a.ico", "/a.bmp", "/moving.gif"] {
            let reply = try get(optimising, path)
            #expect(reply["Content-Type"] == "image/webp", "\(path)")
            #expect(try ImageHeader.parse(reply.body).width == 30)
        }
        let some = try DaemonUnderTest(["--next-unoptimized", "ico"])
        #expect(try get(some, "/a.ico").body == Self.icon)
        #expect(try get(some, "/a.bmp")["Content-Type"] == "image/webp")
        #expect(try get(some, "/moving.gif")["Content-Type"] == "image/webp")
    }

    @Test func `an original that the limits refuse is not handed on`() throws {
        let narrow = try DaemonUnderTest(["--decoder-formats", "png,jpeg"])
        for path in ["/a.ico", "/a.bmp", "/moving.gif"] { #expect(try get(narrow, path).status == 415) }
        let small = try DaemonUnderTest(["--decoder-maximum-pixels", "100"])
        for path in ["/a.ico", "/a.bmp", "/moving.gif"] { #expect(try get(small, path).status == 413) }
        #expect(
            try DaemonUnderTest().get(origin.url("/a.ico"), "w=30&output=auto")["Content-Type"] == "image/png"
        )
    }

    @Test func `a picture that changes between the two is never answered with the other`() throws {
        let turning = ScriptedOrigin { peer in
            let isFirst = Self.turns.add(1, ordering: .relaxed).oldValue == 0
            peer.picture(isFirst ? Self.moving : Pictures.gradient(60, 40), maxAge: 0)
        }
        let daemon = try DaemonUnderTest()
        let target = "/_next/image?url=\(turning.url("/a").absolute)&w=30&q=75"
        let types = try (1...3).map { _ in
            try daemon.get(target, fields: [("Accept", "image/webp")])["Content-Type"]
        }
        #expect(types == ["image/gif", "image/webp", "image/webp"])
    }
}
