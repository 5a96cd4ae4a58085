// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("/_next/image answers as Next.js' image optimizer does", .endToEnd)
struct NextDialectTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func target(_ source: String, _ options: String = "w=30&q=75") -> String {
        "/_next/image" + DaemonUnderTest.target(source, options).dropFirst("/img".count)
    }

    @Test func `the format is by Accept, among those of the settings`() throws {
        let daemon = try DaemonUnderTest(["--next-formats", "avif,webp"])
        let source = origin.url("/a").absolute
        for (accept, type) in [
            ("image/avif,image/webp,*/*", "image/avif"), ("image/webp,*/*", "image/webp"),
            ("image/avif;q=0.5,image/webp", "image/webp"), ("image/avif;q=0,image/webp", "image/webp"),
            ("image/*", "image/jpeg"),
        ] {
            for _ in 1...2 {
                let reply = try daemon.get(target(source), fields: [("Accept", accept)])
                #expect(reply.status == 200)
                #expect(reply["Content-Type"] == type, "\(accept)")
                #expect(reply["Vary"] == "Accept")
            }
        }
        let plain = try DaemonUnderTest()
        let reply = try plain.get(target(source), fields: [("Accept", "image/avif,image/webp")])
        #expect(reply["Content-Type"] == "image/webp")
    }

    @Test func `nothing grows`() throws {
        let daemon = try DaemonUnderTest()
        for (width, expected) in [(30, [30, 20]), (640, [60, 40])] {
            let reply = try daemon.get(target(origin.url().absolute, "w=\(width)&q=75"))
            let header = try ImageHeader.parse(reply.body)
            #expect([header.width, header.height] == expected)
        }
    }

    @Test func `the path of Vercel's optimizer leads to the same pictures`() throws {
        let daemon = try DaemonUnderTest()
        let next = target(origin.url("/a").absolute)
        let vercel = next.replacing("/_next/", with: "/_vercel/")
        #expect(vercel.hasPrefix("/_vercel/image?url="))
        let replies = try [next, vercel].map { try daemon.get($0) }
        #expect(replies.map(\.status) == [200, 200])
        #expect(replies[0]["ETag"] != nil && replies[0]["ETag"] == replies[1]["ETag"])
    }

    @Test func `what it refuses is a 400 with its words as text`() throws {
        let daemon = try DaemonUnderTest(["--next-widths", "640,828", "--next-qualities", "75"])
        for (options, words) in [
            ("q=75", "\"w\" parameter (width) is required"),
            ("w=640", "\"q\" parameter (quality) is required"),
            ("w=641&q=75", "\"w\" parameter (width) of 641 is not allowed"),
            ("w=640&q=80", "\"q\" parameter (quality) of 80 is not allowed"),
        ] {
            let reply = try daemon.get(target("https://a.com/x", options))
            #expect(reply.status == 400)
            #expect(reply.text == words)
            #expect(reply["Content-Type"] == "text/plain; charset=utf-8")
        }
        #expect(try daemon.get(target("/x.png", "w=640&q=75")).text == "\"url\" parameter is not allowed")
    }

    @Test func `X-Nextjs-Cache tells how it came to the picture`() throws {
        let daemon = try DaemonUnderTest()
        let words = try (1...3).map { _ in try daemon.get(target(origin.url("/a").absolute))["X-Nextjs-Cache"]
        }
        #expect(words == ["MISS", "HIT", "HIT"])
        let other = try DaemonUnderTest(["--cache-memory", "0"])
        for word in ["MISS", "HIT", "HIT"] {
            #expect(try other.get(target(origin.url("/a").absolute))["X-Nextjs-Cache"] == word)
        }
        #expect(try daemon.get(origin.url("/a"), "w=30")["X-Nextjs-Cache"] == nil)
        #expect(try daemon.get(target(origin.url("/a").absolute, "w=0&q=75"))["X-Nextjs-Cache"] == nil)
    }

    @Test func `a source without a picture is told of in the words of Next.js`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.target == "/gone" {
                peer.answer("404 Not Found")
            } else {
                peer.picture(Array("text".utf8))
            }
        }
        let daemon = try DaemonUnderTest(["--origin-deny-hosts", "closed.example"])
        for (source, status, words) in [
            (
                origin.url("/gone").absolute, 404,
                "\"url\" parameter is valid but upstream response is invalid"
            ),
            (origin.url("/text").absolute, 415, "The requested resource isn't a valid image."),
            ("https://closed.example/a", 400, "\"url\" parameter is not allowed"),
        ] {
            let reply = try daemon.get(target(source))
            #expect(reply.status == status && reply.text == words, "\(reply.text)")
            #expect(reply["Content-Type"] == "text/plain; charset=utf-8")
        }
    }

    @Test func `a picture has the name of its URL, and is saved unless the settings say otherwise`() throws {
        let daemon = try DaemonUnderTest()
        for (path, name) in [
            ("/dir/photo.jpg", "photo.jpg"), ("/", "image.jpg"),
            ("/my%20photo.jpg?v=1", "my_photo.jpg; filename*=UTF-8''my%20photo.jpg"),
        ] {
            let reply = try daemon.get(target(origin.url(path).absolute))
            #expect(reply["Content-Disposition"] == "attachment; filename=\(name)", "\(reply.text)")
        }
        let other = try DaemonUnderTest(["--next-content-disposition", "inline"])
        let reply = try other.get(target(origin.url("/photo.jpg").absolute))
        #expect(reply["Content-Disposition"] == "inline; filename=photo.jpg")
    }

    @Test func `a relative URL is fetched from the configured site`() throws {
        let daemon = try DaemonUnderTest(["--next-base-url", "http://127.0.0.1:\(origin.port)/"])
        let reply = try daemon.get(target("/foo.png?v=1"))
        #expect(reply.status == 200)
        #expect(reply["Link"] == nil, "where the site lies is the settings' secret")
        #expect(origin.heads.first?.hasPrefix("GET /foo.png?v=1 ") == true)
    }
}
