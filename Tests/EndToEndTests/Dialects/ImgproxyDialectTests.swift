// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("The URLs of imgproxy are answered as imgproxy does", .endToEnd)
struct ImgproxyDialectTests: ImgproxySuite {
    let origin = ScriptedOrigin { peer in peer.picture(Pictures.gradient(60, 40)) }

    @Test func `it is off until it is switched on`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(target("w:30")).status == 404)
        #expect(origin.heads.isEmpty)
    }

    /// imgproxy's options, those of /img, and what becomes of a picture of 60 by 40.
    @Test(
        arguments: [
            ("w:30", "", "w=30", "image/png", 30, 20),
            ("rs:fill:30:30", "@jpg", "w=30&h=30&fit=cover&output=jpg", "image/jpeg", 30, 30),
            ("rs:fit:300:300", "@webp", "w=300&h=300&output=webp", "image/webp", 60, 40),
            ("rs:fit:90:90:1", "", "w=90&h=90&we=0", "image/png", 90, 60),
            (
                "rs:fit:30:30:0:1", "@png", "w=30&h=30&fit=contain&output=png", "image/png", 30, 30
            ),
            ("rs:force:20:30:1", "", "w=20&h=30&fit=fill&we=0", "image/png", 20, 30),
            ("rs:fill:90:10:1/g:nowe", "", "w=90&h=10&fit=cover&we=0&a=top-left", "image/png", 90, 10),
            ("c:30:20:nowe:5:6/w:15", "", "cx=5&cy=6&cw=30&ch=20&precrop&w=15", "image/png", 15, 10),
            ("c:0.5:0.5", "", "cx=25%25&cy=25%25&cw=50%25&ch=50%25&precrop", "image/png", 30, 20),
            ("rot:90/w:20", "", "ro=90&h=20", "image/png", 20, 30),
            ("rot:90/c:0:0/w:20", "", "ro=90&h=20", "image/png", 20, 30),
            ("rot:90/c:20:30:nowe/w:10", "", "ro=90&preturn&cw=20&ch=30&precrop&w=10", "image/png", 10, 15),
            ("dpr:0.5", "", "w=50%25", "image/png", 30, 20),
            ("z:2/s:15:10/q:50", "@jpeg", "w=30&h=20&q=50&output=jpg", "image/jpeg", 30, 20),
            ("w:30/bl:2/bg:ff0000/sh:0.5", "", "w=30&blur=2&bg=f00&sharp=0,3,0.5", "image/png", 30, 20),
        ] as [(String, String, String, String, Int, Int)])
    func `one picture has one ETag, whoever's words ask for it`(
        options: String, ending: String, native: String, type: String, width: Int, height: Int
    ) throws {
        let daemon = try daemon()
        let made = try daemon.get(target(options, ending))
        #expect(made.status == 200, "\(made.text)")
        #expect(made["Content-Type"] == type)
        let header = try ImageHeader.parse(made.body)
        #expect(header.width == width && header.height == height, "\(header.width) × \(header.height)")
        let asked = try daemon.get(origin.url("/a"), native + "&metadata=copyright")
        #expect(asked["ETag"] == made["ETag"])
        #expect(Array(asked.body) == Array(made.body))
        #expect(asked["Cache-Status"]?.contains("hit") == true, "made once: \(asked["Cache-Status"] ?? "–")")
        #expect(origin.heads.count == 1)
        let again = try daemon.get(target(options, ending))
        #expect(again["Cache-Status"]?.contains("memoryHit") == true && again["ETag"] == made["ETag"])
    }

    @Test func `where URLs name presets only, no option and no size of a client's own is read`() throws {
        let daemon = try daemon(
            "--imgproxy-only-presets", "true", "--imgproxy-presets", "thumb=w:20,small=w:10")
        for options in ["w:30", "thumb/w:30", "pr:thumb/w:30", "rs:fit:30:30", "nothing", "thumb:w"] {
            let reply = try daemon.get(target(options))
            #expect(reply.status == 400, "\(options): \(reply.text)")
        }
        #expect(origin.heads.isEmpty)
        for (options, width) in [("thumb", 20), ("thumb:small", 10)] {
            let reply = try daemon.get(target(options))
            #expect(reply.status == 200, "\(options): \(reply.text)")
            #expect(try ImageHeader.parse(reply.body).width == width, "\(options)")
        }
    }

    @Test func `it shares the listener with the other dialects`() throws {
        let daemon = try daemon("--cloudflare-enabled", "true", "--server-probes", "true")
        let source = origin.url("/a").absolute
        let tags = try [
            target("w:30"), "/cdn-cgi/image/w=30,anim=false/\(source)",
            "/img?url=\(source)&w=30&metadata=copyright",
        ].map { target in
            let reply = try daemon.get(target)
            #expect(reply.status == 200, "\(target): \(reply.text)")
            return reply["ETag"]
        }
        #expect(Set(tags).count == 1)
        #expect(try daemon.get("/?url=\(source)&w=30").status == 200)
        #expect(try daemon.get("/health/live").status == 200)
        #expect(try daemon.get("/img/nothing").status == 404)
        #expect(
            try Patience.until {
                try daemon.metric("pictor_requests_total", "dialect=\"imgproxy\",outcome=\"rendered\"") == 1
            })
    }

    @Test func `it may lie below a path`() throws {
        let daemon = try daemon("--imgproxy-path", "/pictures/")
        #expect(try daemon.get(target("w:30", at: "/pictures")).status == 200)
        #expect(try daemon.get(target("w:30")).status == 404)
        #expect(try daemon.get("/pictures").status == 404)
    }

    /// 60 × 40 pixels; three frames of them are 7,200.
    @Test func `a URL's own limits refuse what the settings allow, and make no other picture`() throws {
        let (still, animation) = (Pictures.gradient(60, 40), Pictures.animation(60, 40, frames: 3))
        let origin = ScriptedOrigin { $0.picture($0.head.contains("/moves") ? animation : still) }
        let (plain, moves) = (origin.url("/a").absolute, origin.url("/moves").absolute)
        let daemon = try daemon()
        let usual = try daemon.get("/_/w:30/plain/\(plain)")
        for (options, source, status) in [
            ("w:30/msr:0.0024", plain, 200), ("w:30/msr:0.0023", plain, 413),
            ("w:30/msfs:\(still.count)", plain, 200), ("w:30/msfs:\(still.count - 1)", plain, 413),
            ("w:30/mrd:30", plain, 200), ("w:30/mrd:29", plain, 413),
            ("raw:1/msr:0.0024", plain, 200), ("raw:1/msr:0.001", plain, 413), ("raw:1/msfs:10", plain, 413),
            ("skp:png/msfs:10", plain, 413), ("w:30/mafr:0.000001", plain, 200),
            ("maf:3/f:webp/msr:0.0072", moves, 200), ("maf:3/f:webp/msr:0.0071", moves, 413),
            ("maf:3/f:webp/msr:0.0024/mafr:0.0024", moves, 200), ("maf:3/f:webp/mafr:0.0023", moves, 413),
        ] {
            for _ in 1...2 {
                let reply = try daemon.get("/_/\(options)/plain/\(source)")
                #expect(reply.status == status, "\(options): \(reply.status) \(reply.text)")
                if status == 413 { #expect(reply.text.contains("beyond_own_limit"), "\(options)") }
                if status == 200, options.hasPrefix("w:30") { #expect(reply["ETag"] == usual["ETag"]) }
            }
        }
        #expect(origin.heads.count == 2)
    }

    /// Fitted into 30 pixels the whole is 30 × 20, and its bar alone 10 × 40.
    @Test func `the longest side of a result counts after the trim`() throws {
        let bar = Pictures.png(60, 40) { x, _ in (25..<35).contains(x) ? [0, 0, 0] : [255, 255, 255] }
        let origin = ScriptedOrigin { $0.picture(bar) }
        let source = origin.url("/a").absolute
        let daemon = try daemon()
        for (options, status) in [
            ("w:30/mrd:30", 200), ("t:10/w:30/mrd:40", 200), ("t:10/w:30/mrd:39", 413), ("w:30/mrd:29", 413),
        ] {
            for _ in 1...2 {
                let reply = try daemon.get("/_/\(options)/plain/\(source)")
                #expect(reply.status == status, "\(options): \(reply.status)")
            }
        }
    }

    @Test func `a file name may stand behind a source in base64`() throws {
        let source = Data(origin.url("/a").absolute.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        let (named, plain) = (try daemon("--imgproxy-base64-filename", "true"), try daemon())
        let reply = try named.get("/_/w:30/\(source).jpg/puppy.png")
        #expect(reply.status == 200 && reply["Content-Type"] == "image/jpeg", "\(reply.text)")
        #expect(try ImageHeader.parse(reply.body).width == 30)
        #expect(try named.get("/_/w:30/\(source).jpg")["ETag"] == reply["ETag"])
        #expect(try plain.get("/_/w:30/\(source).jpg/puppy.png").status == 400)
    }

    @Test func `pixels are cut out of the middle before the resize`() throws {
        let daemon = try daemon()
        for (options, same) in [
            ("c:30:20", "c:30:20:nowe:15:10"), ("c:30:20:ce:5:0/w:15", "c:30:20:nowe:20:10/w:15"),
            ("g:soea:4:6/c:30:20/w:15", "c:30:20:nowe:26:14/w:15"), ("c:0:20:so", "c:0:20:nowe:0:20"),
        ] {
            let (cut, other) = (try daemon.get(target(options)), try daemon.get(target(same)))
            #expect(cut.status == 200 && Array(cut.body) == Array(other.body), "\(options): \(cut.text)")
        }
    }

    @Test func `a refusal names the option`() throws {
        let daemon = try daemon()
        for (options, words) in [
            ("g:obj:face", "finds no objects"), ("bl:9999", "bl"), ("colour:red", "There is no option"),
            ("vts:5", "no videos"), ("mc:1", "imgproxy Pro"),
        ] {
            let reply = try daemon.get(target(options))
            #expect(reply.status == 400 && reply["Content-Type"] == "application/json")
            #expect(
                reply.text.contains("\"error\":\"bad_parameter\"") && reply.text.contains(words),
                "\(reply.text)")
        }
        #expect(try daemon.get(target("exp:1")).status == 410)
        #expect(try daemon.get(target("w:30"), method: "POST").status == 405)
        #expect(origin.heads.isEmpty)
    }

    @Test func `a file name, a lifetime and Accept are heeded`() throws {
        let daemon = try daemon("--imgproxy-auto-formats", "webp")
        let reply = try daemon.get(target("w:30/fn:holiday"), fields: [("Accept", "image/webp,*/*")])
        #expect(reply["Content-Type"] == "image/webp" && reply["Vary"] == "Accept")
        #expect(reply["Content-Disposition"] == "inline; filename=holiday.webp")
        let other = try daemon.get(target("w:30/att:1/fn:f%C3%AAte", "@png"))
        #expect(
            other["Content-Disposition"]
                == "attachment; filename=f_te.png; filename*=UTF-8''f%C3%AAte.png")
        #expect(try daemon.get(target("w:30", "@png"))["Content-Disposition"] == "inline; filename=a.png")
        let ending = Int(Date().timeIntervalSince1970) + 100
        let short = try daemon.get(target("w:30/exp:\(ending)", "@png"))
        #expect(short.status == 200 && short["Cache-Control"]?.contains("must-revalidate") == true)
    }

    @Test func `settings that cannot be used are told`() throws {
        for (flags, environment, words) in [
            (["--imgproxy-path", "/img"], [:], "imgproxy.path"),
            (["--imgproxy-base-url", "site"], [:], "imgproxy.base-url"),
            (["--imgproxy-presets", "a=w:x"], [:], "imgproxy.presets: \"a\""),
            (["--imgproxy-watermark", "logo"], [:], "imgproxy.watermark"),
            (["--imgproxy-arguments-separator", "/"], [:], "imgproxy.arguments-separator"),
            (["--imgproxy-signature-size", "33"], [:], "imgproxy.signature-size"),
            (["--signatures-required", "imgproxy"], [:], "imgproxy.keys-file"),
            ([], ["PICTOR_IMGPROXY_KEYS": "736563726574"], "imgproxy.keys"),
            ([], ["PICTOR_IMGPROXY_KEYS": "secret:hello"], "hexadecimal"),
            ([], ["PICTOR_IMGPROXY_ENCRYPTION_KEY": "00"], "imgproxy.encryption-key"),
            (
                ["--cloudflare-enabled", "true", "--imgproxy-path", "/cdn-cgi/image"], [:],
                "cloudflare and imgproxy are both on"
            ),
        ] as [([String], [String: String], String)] {
            let check = try PictorCommand(
                ["check", "--imgproxy-enabled", "true"] + flags, environment: environment)
            #expect(check.status != 0 && check.error.contains(words), "\(flags): \(check.error)")
            #expect(!check.error.contains("736563726574"))
        }
        let idle = try PictorCommand(["check", "--imgproxy-presets", "a=w:8"], environment: [:])
        #expect(idle.error.contains("imgproxy.presets is set, and imgproxy.enabled is not"))
        let open = try PictorCommand(["check", "--imgproxy-enabled", "true"], environment: [:])
        #expect(open.status == 0 && open.error.contains("imgproxy.keys is empty"))
    }
}
