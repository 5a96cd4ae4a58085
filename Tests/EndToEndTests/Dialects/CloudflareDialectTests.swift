// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("/cdn-cgi/image answers as Cloudflare's image resizing does", .endToEnd)
struct CloudflareDialectTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target.prefix(while: { $0 != "?" }) {
        case "/gone": peer.answer("404 Not Found")
        case "/text": peer.picture(Array("no picture".utf8))
        default: peer.picture(Pictures.gradient(60, 40))
        }
    }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--cloudflare-enabled", "true"] + flags)
    }

    private func target(_ options: String, _ path: String = "/a") -> String {
        "/cdn-cgi/image/\(options)/\(origin.url(path).absolute)"
    }

    @Test func `it is off until it is switched on`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(target("w=30")).status == 404)
        #expect(origin.heads.isEmpty)
    }

    /// Cloudflare's options, those of /img, and what becomes of a picture of 60 by 40.
    @Test(arguments: [
        ("width=30", "w=30&n=-1", "image/png", 30, 20),
        (
            "w=30,h=30,fit=cover,format=jpeg,quality=70", "w=30&h=30&fit=cover&we=0&output=jpg&il&q=70",
            "image/jpeg", 30, 30
        ),
        ("w=600", "w=600&n=-1", "image/png", 60, 40),
        ("w=90,fit=contain,f=webp", "w=90&we=0&output=webp&n=-1", "image/webp", 90, 60),
        (
            "w=30,h=30,fit=pad,f=baseline-jpeg", "w=30&h=30&fit=contain&cbg=fff&we=0&output=jpg",
            "image/jpeg", 30, 30
        ),
        (
            "w=20,h=10,fit=crop,g=0x0,f=webp", "w=20&h=10&fit=cover&a=top-left&output=webp&n=-1",
            "image/webp", 20, 10
        ),
        ("trim=5;10;15;20", "cx=20&cy=5&cw=-10&ch=-15&n=-1", "image/png", 30, 20),
        ("trim=5;10;15;20,w=15,dpr=0.5", "cx=10&cy=3&cw=-5&ch=-8&precrop&w=8&n=-1", "image/png", 8, 5),
        ("rotate=90,w=20", "ro=90&h=20&n=-1", "image/png", 20, 30),
        ("w=30,h=10,fit=squeeze", "w=30&h=10&fit=fill&we=0&n=-1", "image/png", 30, 10),
        ("w=30,blur=2,saturation=0,brightness=1.1", "w=30&blur=2&mod=1.1,0&n=-1", "image/png", 30, 20),
    ])
    func `one picture has one ETag, whoever's words ask for it`(
        options: String, native: String, type: String, width: Int, height: Int
    ) throws {
        let daemon = try daemon()
        let made = try daemon.get(target(options))
        #expect(made.status == 200, "\(made.text)")
        #expect(made["Content-Type"] == type)
        let header = try ImageHeader.parse(made.body)
        #expect(header.width == width && header.height == height, "\(header.width) × \(header.height)")
        let asked = try daemon.get(origin.url("/a"), native)
        #expect(asked["ETag"] == made["ETag"])
        #expect(Array(asked.body) == Array(made.body))
        #expect(asked["Cache-Status"]?.contains("hit") == true, "made once: \(asked["Cache-Status"] ?? "–")")
        #expect(origin.heads.count == 1)
        let again = try daemon.get(target(options))
        #expect(again["Cache-Status"]?.contains("memoryHit") == true && again["ETag"] == made["ETag"])
    }

    @Test func `format=auto is by Accept`() throws {
        let daemon = try daemon()
        for (accept, type) in [
            ("image/avif,image/webp,*/*", "image/avif"), ("image/webp", "image/webp"), ("*/*", "image/jpeg"),
        ] {
            let reply = try daemon.get(target("w=30,format=auto"), fields: [("Accept", accept)])
            #expect(reply.status == 200 && reply["Content-Type"] == type && reply["Vary"] == "Accept")
        }
    }

    @Test func `the source keeps its query and its escapes, and merged slashes change nothing`() throws {
        let daemon = try daemon()
        let path = "/a%20b%2Fc,d?v=1&w=2"
        let reply = try daemon.get(target("w=30", path))
        #expect(reply.status == 200)
        #expect(origin.heads.first?.hasPrefix("GET \(path) ") == true)
        let merged = try daemon.get(target("w=30", path).replacing("http://", with: "http:/"))
        #expect(merged.status == 200 && merged["ETag"] == reply["ETag"])
        #expect(origin.heads.count == 1)
    }

    @Test func `a path is fetched from the site of the settings, and refused where there is none`() throws {
        let daemon = try daemon("--cloudflare-base-url", origin.url("/site/").absolute)
        for target in ["/cdn-cgi/image/w=30/uploads/a.jpg?v=1", "/cdn-cgi/image/w=30//uploads/a.jpg?v=1"] {
            #expect(try daemon.get(target).status == 200)
        }
        #expect(origin.heads.map { $0.prefix { !$0.isNewline } } == ["GET /site/uploads/a.jpg?v=1 HTTP/1.1"])
        let bare = try self.daemon().get("/cdn-cgi/image/w=30/uploads/a.jpg")
        #expect(bare.status == 400 && bare.text.contains("cloudflare.base-url"))
    }

    @Test func `a refusal names the option`() throws {
        let daemon = try daemon()
        for (options, words) in [
            ("gravity=face", "gravity=face"), ("blur=999", "blur"), ("colour=red", "There is no option"),
            ("metadata=keep", "metadata=keep"),
        ] {
            let reply = try daemon.get(target(options))
            #expect(reply.status == 400 && reply["Content-Type"] == "application/json")
            #expect(
                reply.text.contains("\"error\":\"bad_parameter\"") && reply.text.contains(words),
                "\(reply.text)")
        }
        #expect(try daemon.get(target("w=30"), method: "POST").status == 405)
        #expect(origin.heads.isEmpty)
    }

    @Test func `onerror=redirect leads to the source, within the site`() throws {
        let daemon = try daemon("--cloudflare-base-url", "http://127.0.0.1:\(origin.port)")
        for (options, path, status) in [
            ("w=30,onerror=redirect", "/text", 302), ("w=30,onerror=redirect", "/gone", 302),
            ("w=30", "/text", 415),
            ("w=30,onerror=redirect", "/a", 200), ("blur=999,onerror=redirect", "/a", 400),
        ] {
            for target in [target(options, path), "/cdn-cgi/image/\(options)\(path)"] {
                let reply = try daemon.get(target)
                #expect(reply.status == status, "\(target): \(reply.status)")
                #expect(reply["Location"] == (status == 302 ? origin.url(path).absolute : nil))
            }
        }
        // Another host's is no business of the site.
        let foreign = try self.daemon().get(target("w=30,onerror=redirect", "/text"))
        #expect(foreign.status == 415 && foreign["Location"] == nil)
        let allowed = try self.daemon("--options-default-hosts", "127.0.0.1")
        #expect(try allowed.get(target("w=30,onerror=redirect", "/text")).status == 302)
    }

    @Test func `format=json tells the sizes before and after`() throws {
        let daemon = try daemon()
        let reply = try daemon.get(target("w=30,format=json"))
        #expect(reply.status == 200 && reply["Content-Type"] == "application/json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        #expect(Set(object.keys) == ["width", "height", "original"])
        #expect(object["width"] as? Int == 30 && object["height"] as? Int == 20)
        let original = try #require(object["original"] as? [String: Any])
        #expect(original["width"] as? Int == 60 && original["height"] as? Int == 40)
        #expect(original["format"] as? String == "image/png")
        #expect(original["file_size"] as? Int == Pictures.gradient(60, 40).count)
        #expect(Set(original.keys) == ["file_size", "width", "height", "format"])
    }

    @Test func `no URL is made for a dialect that is off`() throws {
        let environment = ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"]
        let command = ["url", "make", "--dialect", "cloudflare", "https://a.example/b", "w=8"]
        let off = try PictorCommand(command, environment: environment)
        #expect(off.status != 0 && off.error.contains("cloudflare.enabled turns it on"))
        let on = environment.merging(["PICTOR_CLOUDFLARE_ENABLED": "true"]) { $1 }
        let made = try PictorCommand(command, environment: on)
        #expect(made.lines.first?.hasPrefix("/cdn-cgi/image/w=8,sig=") == true, "\(made.error)")
        let url = try #require(made.lines.first)
        #expect(try PictorCommand(["url", "check", url], environment: on).status == 0)
        #expect(
            try PictorCommand(["url", "check", url.replacing("w=8", with: "w=9")], environment: on).status
                != 0)
        let bare = try PictorCommand(command.dropLast(2) + ["a.example/b", "w=8"], environment: on)
        #expect(bare.status != 0 && bare.error.contains("neither an http or https URL nor a path"))
    }

    @Test func `settings that make no sense together are told`() throws {
        let check = try PictorCommand(
            ["check", "--cloudflare-base-url", "https://site.example"], environment: [:])
        #expect(check.status != 0)
        #expect(check.error.contains("cloudflare.base-url is set, and cloudflare.enabled is not"))
        let bad = try PictorCommand(
            ["check", "--cloudflare-enabled", "true", "--cloudflare-base-url", "site"], environment: [:])
        #expect(
            bad.status != 0 && bad.error.contains("cloudflare.base-url: \"site\" is no http or https URL"))
    }
}
