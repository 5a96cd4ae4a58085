// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("thumbor's and imagor's URLs are answered as they do", .endToEnd)
struct OperationDialectTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target.prefix(while: { $0 != "?" }) {
        case "/gone": peer.answer("404 Not Found")
        case "/w": peer.picture(Pictures.gradient(10, 10))
        default: peer.picture(Pictures.gradient(60, 40))
        }
    }
    private let key = "my-security-key"

    private func daemon(_ flags: String..., keys: [String: String] = [:]) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--thumbor-enabled", "true", "--imagor-enabled", "true"] + flags, environment: keys)
    }

    private func target(_ dialect: String, _ operations: String, _ path: String = "/a") -> String {
        "/\(dialect)/unsafe/\(operations)\(origin.url(path).absolute)"
    }

    @Test func `they are off until they are switched on`() throws {
        let daemon = try DaemonUnderTest()
        for dialect in ["thumbor", "imagor"] {
            #expect(try daemon.get(target(dialect, "30x20/")).status == 404)
        }
        #expect(origin.heads.isEmpty)
    }

    /// Operations, the options of /img, and what becomes of a picture of 60 by 40.
    @Test(arguments: [
        ("30x/", "w=30&we=0&n=-1", "image/png", 30, 20),
        ("30x30/", "w=30&h=30&fit=cover&we=0&n=-1", "image/png", 30, 30),
        ("120x120/", "w=120&h=120&fit=cover&we=0&n=-1", "image/png", 120, 120),
        ("120x20/filters:no_upscale()/", "w=120&h=20&fit=cover&n=-1", "image/png", 60, 20),
        ("fit-in/30x30/", "w=30&h=30&n=-1", "image/png", 30, 20),
        ("fit-in/300x300/", "w=300&h=300&n=-1", "image/png", 60, 40),
        ("fit-in/120x120/filters:upscale()/", "w=120&h=120&we=0&n=-1", "image/png", 120, 80),
        ("full-fit-in/30x30/", "w=30&h=30&fit=outside&we=0&n=-1", "image/png", 45, 30),
        (
            "fit-in/30x30/filters:fill(red):format(jpeg)/", "w=30&h=30&fit=contain&cbg=f00&output=jpg",
            "image/jpeg", 30, 30
        ),
        (
            "-20x10/left/top/filters:format(webp):quality(70)/",
            "w=20&h=10&fit=cover&we=0&a=top-left&flop&output=webp&q=70&n=-1", "image/webp", 20, 10
        ),
        ("10x5:40x35/", "cx=10&cy=5&cw=30&ch=30&n=-1", "image/png", 30, 30),
        (
            "10x5:40x35/15x15/", "cx=10&cy=5&cw=30&ch=30&precrop&w=15&h=15&fit=cover&we=0&n=-1", "image/png",
            15, 15
        ),
        ("30x/filters:background_color(auto)/", "w=30&we=0&bg=average&n=-1", "image/png", 30, 20),
        ("30x/filters:rotate(90)/", "w=30&we=0&ro=270&n=-1", "image/png", 20, 30),
        ("filters:proportion(0.5)/", "w=50%25&n=-1", "image/png", 30, 20),
        ("30x10/filters:stretch()/", "w=30&h=10&fit=fill&we=0&n=-1", "image/png", 30, 10),
        ("20x20/smart/", "w=20&h=20&fit=cover&we=0&a=attention&n=-1", "image/png", 20, 20),
        (
            "30x/filters:grayscale():brightness(10)/", "w=30&we=0&filt=greyscale&bri=10&n=-1", "image/png",
            30, 20
        ),
    ])
    func `one picture has one ETag, whoever's words ask for it`(
        operations: String, native: String, type: String, width: Int, height: Int
    ) throws {
        let daemon = try daemon()
        let asked = try daemon.get(origin.url("/a"), native)
        #expect(asked.status == 200, "\(asked.text)")
        for dialect in ["thumbor", "imagor"] {
            let made = try daemon.get(target(dialect, operations))
            #expect(made.status == 200, "\(made.text)")
            #expect(made["Content-Type"] == type)
            let header = try ImageHeader.parse(made.body)
            #expect(header.width == width && header.height == height, "\(header.width) × \(header.height)")
            // imagor fills under the picture too, which makes no difference to an opaque one but in its key.
            guard !operations.contains("fill") || dialect == "thumbor" else { continue }
            #expect(asked["ETag"] == made["ETag"], "\(dialect)")
            #expect(Array(asked.body) == Array(made.body))
        }
        #expect(origin.heads.count == 1)
        let again = try daemon.get(target("thumbor", operations))
        #expect(again["Cache-Status"]?.contains("memoryHit") == true)
    }

    /// Filters of imagor's, the options of /img, and how large a picture of 60 by 40 becomes.
    @Test(arguments: [
        (
            "fit-in/30x30/10x5/", "fill(f00)", "w=30&h=30&fit=contain&cbg=f00&bg=f00&pad=5,10&pbg=f00&n=-1",
            50, 40
        ),
        (
            "30x20/", "padding(red,1,2,3,4)", "w=30&h=20&fit=cover&we=0&bg=red&pad=2,3,4,1&pbg=red&n=-1", 34,
            26
        ),
        (
            "30x20/", "round_corner(8):pixelate(5)", "w=30&h=20&fit=cover&we=0&radius=8&pixelate=5&n=-1", 30,
            20
        ),
        (
            "fit-in/30x30/", "fill(f00):round_corner(8)", "w=30&h=30&fit=contain&cbg=f00&radius=8&n=-1", 30,
            30
        ),
        ("fit-in/30x30/", "fill(blur)", "w=30&h=30&fit=contain&cblur=50&n=-1", 30, 30),
        ("30x20/", "raw()", "output=raw", 60, 40),
        ("", "format(jpeg):max_bytes(900)", "output=jpg&maxbytes=900", 60, 40),
    ])
    func `edges, squares and bytes are made as there`(
        operations: String, filters: String, native: String, width: Int, height: Int
    ) throws {
        let daemon = try daemon()
        let made = try daemon.get(target("imagor", "\(operations)filters:\(filters)/"))
        #expect(made.status == 200, "\(made.text)")
        let header = try ImageHeader.parse(made.body)
        #expect(header.width == width && header.height == height, "\(header.width) × \(header.height)")
        #expect(try daemon.get(origin.url("/a"), native)["ETag"] == made["ETag"])
        if filters.contains("max_bytes") { #expect(made.body.count <= 900) }
    }

    @Test func `an attachment is saved under its name`() throws {
        let daemon = try daemon()
        for (filter, disposition) in [
            ("attachment(my dog.jpeg)", "attachment; filename=my_dog.png; filename*=UTF-8''my%20dog.png"),
            ("attachment()", "attachment; filename=a.png"),
            ("raw():attachment(x)", "attachment; filename=x.png"),
        ] {
            let reply = try daemon.get(
                target("imagor", "30x20/filters:\(filter)/").replacing(" ", with: "%20"))
            #expect(reply["Content-Disposition"] == disposition, "\(reply.text)")
        }
        #expect(try daemon.get(target("imagor", "30x20/"))["Content-Disposition"] == nil)
    }

    @Test
    func `params tells what a URL of imagor's means, and asks neither for a signature nor for the picture`()
        throws
    {
        let daemon = try daemon(keys: ["PICTOR_IMAGOR_KEYS": key, "PICTOR_IMAGOR_UNSAFE": "false"])
        for signature in ["unsafe", "8ammJH8D-7tXy6kU3lTvoXlhu4o="] {
            let path = "\(signature)/30x20/smart/\(origin.url("/a").absolute)"
            let reply = try daemon.get("/imagor/params/\(path)")
            #expect(reply.status == 200 && reply["Content-Type"] == "application/json", "\(reply.text)")
            let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
            #expect(object?["width"] as? Int == 30 && object?["smart"] as? Bool == true, "\(reply.text)")
            #expect(object?["image"] as? String == origin.url("/a").absolute)
            #expect([401, 403].contains(try daemon.get("/imagor/\(path)").status))
        }
        #expect(origin.heads.isEmpty)
        #expect(try daemon.get("/thumbor/params/30x20/\(origin.url("/a").absolute)").status == 403)
        #expect(
            try #require(daemon.accessLog(of: 5)).contains { $0.contains("/imagor/params/REDACTED/30x20/") })
    }

    @Test func `explain reads a URL that wants a signature and has none`() throws {
        let daemon = try daemon(keys: ["PICTOR_THUMBOR_KEYS": key])
        let unsigned = target("thumbor", "30x/")
        #expect(try daemon.get(unsigned).status == 401)
        let escaped = try #require(unsigned.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let reply = try daemon.admin("/admin/explain?target=\(escaped)")
        let told = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
        let asked = try #require(told?["asked"] as? [String: Any], "\(reply.text)")
        #expect(asked["source"] as? String == origin.url("/a").absolute)
        #expect(origin.heads.isEmpty)
    }

    @Test func `a watermark is fetched from its URL`() throws {
        let daemon = try daemon()
        let mark = origin.url("/w").absolute
        for dialect in ["thumbor", "imagor"] {
            let reply = try daemon.get(target(dialect, "filters:watermark(\(mark),center,center,50)/"))
            #expect(reply.status == 200, "\(reply.text)")
        }
        let native = try daemon.get(origin.url("/a"), "wm=\(mark)&wmp=center&wmo=0.5&n=-1")
        #expect(
            try native["ETag"]
                == daemon.get(target("imagor", "filters:watermark(\(mark),center,center,50)/"))["ETag"])
        #expect(origin.heads.count { $0.hasPrefix("GET /w ") } == 1)
    }

    @Test func `a name without a scheme is fetched from the site of the settings`() throws {
        let site = origin.url("/site/").absolute
        let daemon = try daemon("--thumbor-base-url", site, "--imagor-base-url", site)
        #expect(try daemon.get("/thumbor/unsafe/30x/b/a.jpg").status == 200)
        #expect(try daemon.get("/imagor/unsafe/30x/b/a.jpg?v=2").status == 200)
        #expect(origin.heads.map { $0.prefix { !$0.isNewline } } == ["GET /site/b/a.jpg HTTP/1.1"])
    }

    @Test func `the scheme of a bare host is that of the settings`() throws {
        let daemon = try daemon("--imagor-scheme", "http")
        let bare = origin.url("/a").absolute.dropFirst("http://".count)
        #expect(try daemon.get("/thumbor/unsafe/30x/\(bare)").status == 200)
        #expect(try daemon.get("/imagor/unsafe/30x/\(bare)").status == 200)
        let code = Data(origin.url("/a").absolute.utf8).base64EncodedString().replacing("=", with: "")
            .replacing("+", with: "-").replacing("/", with: "_")
        #expect(try daemon.get("/imagor/unsafe/30x/b64:\(code)").status == 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `a refusal names the filter, or the setting passes over it`() throws {
        let daemon = try daemon("--imagor-other-filters", "ignore-unknown")
        for (dialect, filters, status) in [
            ("thumbor", "vignette(1)", 400), ("thumbor", "noise(5)", 400), ("imagor", "vignette(1)", 200),
            ("imagor", "quality(x)", 200), ("imagor", "text(x)", 400),
        ] {
            let reply = try daemon.get(target(dialect, "30x/filters:\(filters)/"))
            #expect(reply.status == status, "\(reply.text)")
            guard status == 400 else { continue }
            let name = filters.prefix { $0 != "(" }
            #expect(
                reply.text.contains("\"error\":\"bad_parameter\"") && reply.text.contains(name),
                "\(reply.text)")
        }
        #expect(try daemon.get(target("thumbor", "30x/"), method: "POST").status == 405)
        #expect(try daemon.get(target("thumbor", "30x/", "/gone")).status == 404)
    }

    @Test func `signed URLs are made by the command, and no other opens where there are keys`() throws {
        let environment = [
            "PICTOR_THUMBOR_ENABLED": "true", "PICTOR_IMAGOR_ENABLED": "true", "PICTOR_THUMBOR_KEYS": key,
            "PICTOR_IMAGOR_KEYS": "another-key", "PICTOR_IMAGOR_SIGNER": "sha256",
            "PICTOR_IMAGOR_SIGNER_TRUNCATE": "40",
        ]
        let daemon = try DaemonUnderTest(environment: environment)
        let source = origin.url("/a").absolute
        var paths: [String: String] = [:]
        for dialect in ["thumbor", "imagor"] {
            let command = try PictorCommand(
                ["url", "make", "--dialect", dialect, source, "30x20/smart"], environment: environment)
            let url = try #require(command.lines.first, "\(command.error)")
            let reply = try daemon.get(url)
            #expect(reply.status == 200, "\(url): \(reply.text)")
            #expect(try daemon.get(url.replacing("30x20", with: "30x21")).status == 403)
            #expect(try PictorCommand(["url", "check", url], environment: environment).status == 0)
            paths[dialect] = String(url.dropFirst(dialect.count + 2))
            for spelling in [
                "unsafe/30x20/\(source)", "%75nsafe/30x20/\(source)", "unsafe//30x20/\(source)",
                "unsafe/\(source)?sig=x",
                "unsafe/30x20/\(source)?url=\(source)", "unsafe/meta/30x20/\(source)",
            ] {
                #expect(try daemon.get("/\(dialect)/\(spelling)").status == 401, "\(spelling)")
            }
            for spelling in [
                "30x20/\(source)", "Unsafe/30x20/\(source)", "8ammJH8D-7tXy6kU3lTvoXlhu4o=/30x20/\(source)",
            ] {
                #expect(try daemon.get("/\(dialect)/\(spelling)").status == 403, "\(spelling)")
            }
            // imagor skips the slash, and finds `unsafe`.
            let skipping = try daemon.get("/\(dialect)//unsafe/30x20/\(source)").status
            #expect(skipping == (dialect == "imagor" ? 401 : 403))
        }
        // One service's signature opens no URL of the other's.
        #expect(try daemon.get("/imagor/\(paths["thumbor"] ?? "")").status == 403)
        #expect(try daemon.get("/thumbor/\(paths["imagor"] ?? "")").status == 403)
        #expect(origin.heads.count == 1)
        let lines = try #require(daemon.accessLog(of: 2))
        #expect(lines.contains { $0.contains("/thumbor/REDACTED/30x20/smart/") }, "\(lines)")
    }

    @Test func `a URL of imagor's ends at its time`() throws {
        let daemon = try daemon()
        #expect(try daemon.get(target("imagor", "filters:expire(1000)/")).status == 410)
        let end = (Int(Date().timeIntervalSince1970) + 1_000) * 1_000
        let reply = try daemon.get(target("imagor", "filters:expire(\(end))/"))
        #expect(reply.status == 200 && reply["Cache-Control"]?.contains("must-revalidate") == true)
    }

    @Test func `formats by Accept are those of the settings`() throws {
        let daemon = try daemon("--thumbor-auto-formats", "webp")
        for (accept, type) in [("image/avif,image/webp", "image/webp"), ("*/*", "image/png")] {
            let reply = try daemon.get(target("thumbor", "30x/"), fields: [("Accept", accept)])
            #expect(reply.status == 200 && reply["Content-Type"] == type && reply["Vary"] == "Accept")
            let fixed = try daemon.get(target("imagor", "30x/"), fields: [("Accept", accept)])
            #expect(fixed["Content-Type"] == "image/png" && fixed["Vary"] == nil)
        }
        let jpeg = try daemon.get(
            target("thumbor", "30x/filters:autojpg()/"), fields: [("Accept", "image/png,*/*")])
        #expect(jpeg["Content-Type"] == "image/jpeg")
    }

    @Test func `settings that make no sense together are told`() throws {
        for (flags, words) in [
            (
                ["--thumbor-base-url", "https://site.example"],
                "thumbor.base-url is set, and thumbor.enabled is not"
            ),
            (
                ["--imagor-base-url", "https://site.example"],
                "imagor.base-url is set, and imagor.enabled is not"
            ),
            (
                ["--thumbor-enabled", "true", "--imagor-enabled", "true", "--imagor-path", "/thumbor"],
                "thumbor and imagor are both on"
            ),
            (
                ["--thumbor-enabled", "true", "--signatures-required", "thumbor"],
                "there is no key for thumbor's URLs: set thumbor.keys-file"
            ),
        ] {
            let check = try PictorCommand(["check"] + flags, environment: [:])
            #expect(check.status != 0 && check.error.contains(words), "\(check.error)")
        }
    }
}
