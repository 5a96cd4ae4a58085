// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("The keys of imgproxy close its URLs, and hide their sources", .endToEnd)
struct ImgproxySecretTests: ImgproxySuite {
    let origin = ScriptedOrigin { peer in peer.picture(Pictures.gradient(60, 40)) }

    /// The key and the salt of imgproxy's document.
    private let keys = ["PICTOR_IMGPROXY_KEYS": "736563726574:68656c6c6f"]

    @Test func `where there are keys, no URL is answered without a signature`() throws {
        let daemon = try daemon(environment: keys)
        for word in ["_", "insecure", "unsafe"] {
            let reply = try daemon.get(target("w:30").replacing("/_/", with: "/\(word)/"))
            #expect(reply.status == 401 && reply.text.contains("signature_missing"), "\(reply.text)")
        }
        let wrong = try daemon.get(target("w:30").replacing("/_/", with: "/SIGNATURE/"))
        #expect(wrong.status == 403 && wrong.text.contains("signature_wrong"))
        #expect(origin.heads.isEmpty)
        let made = try PictorCommand(
            ["url", "make", "--dialect", "imgproxy", origin.url("/a").absolute, "rs=fill:20:10"],
            environment: keys.merging(["PICTOR_IMGPROXY_ENABLED": "true"]) { $1 })
        let url = try #require(made.lines.first, "\(made.error)")
        #expect(try daemon.get(url).status == 200)
        #expect(try daemon.get(url.replacing(":20:", with: ":21:")).status == 403)
        let lines = try #require(daemon.accessLog(of: 6))
        #expect(lines.contains { $0.contains("/REDACTED/rs:fill:20:10/") }, "\(lines)")
        #expect(!lines.contains { $0.contains("SIGNATURE") || $0.contains(url.prefix(20)) })
    }

    @Test func `a trusted word is as good as a signature, and no log shows it`() throws {
        let daemon = try daemon(
            environment: keys.merging(["PICTOR_IMGPROXY_TRUSTED_SIGNATURES": "a-trusted-friend"]) { $1 })
        func status(_ word: String) throws -> Int {
            try daemon.get(target("w:30").replacing("/_/", with: "/\(word)/")).status
        }
        #expect(try status("a-trusted-foe") == 403)
        #expect(try status("a-trusted-frien") == 403)
        #expect(origin.heads.isEmpty)
        #expect(try status("a-trusted-friend") == 200)
        let lines = try #require(daemon.accessLog(of: 3))
        #expect(!(lines + daemon.log).contains { $0.contains("a-trusted-friend") }, "\(lines)")
    }

    @Test(arguments: ["/", "/info/"])
    func `an answer does not tell the source that its URL hides`(place: String) throws {
        let key = "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
        let daemon = try daemon(
            environment: keys.merging(["PICTOR_IMGPROXY_ENCRYPTION_KEY": key]) { $1 })
        // imgproxy's document: AES-CBC behind its initialization vector; HMAC-SHA256 of salt and path; both in base64url.
        let script = """
            vector=0123456789abcdef
            url() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
            hidden=$({ printf %s $vector
                printf %s "$1" | openssl enc -aes-256-cbc -K $2 -iv $(printf %s $vector | od -An -tx1 | tr -d ' \n'); } | url)
            path=/enc/$hidden
            signature=$(printf %s "hello$path" | openssl dgst -sha256 -mac HMAC -macopt key:secret -binary | url)
            printf %s "$signature$path"
            """
        let made = try Program.run(["sh", "-c", script, "sh", origin.url("/a").absolute, key])
        let path = try #require(made?.output)
        let reply = try daemon.get("\(place)\(path)")
        #expect(reply.status == 200, "\(path): \(reply.text)")
        let told = reply.fields.map(\.value) + [reply.text]
        #expect(!told.contains { $0.contains("127.0.0.1") }, "\(told)")
        let start = try #require(path.firstIndex(of: "/"))
        for word in ["_", "insecure", "unsafe"] {
            let unsigned = "\(place)\(word)\(path[start...])"
            let escaped = try #require(
                unsigned.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let explanation = try daemon.admin("/admin/explain?target=\(escaped)")
            #expect(
                explanation.status == 401 && !explanation.text.contains("127.0.0.1"), "\(explanation.text)")
        }
    }

    @Test func `where its URLs begin at the root, the log names folders and originals as they are`() throws {
        let broken = ScriptedOrigin { $0.answer("418 I'm a teapot") }
        let daemon = try daemon(environment: keys)
        let source = broken.url("/wp-content/uploads/a.jpg").absolute
        let made = try PictorCommand(
            ["url", "make", "--dialect", "imgproxy", source, "rs=fill:20:10"],
            environment: keys.merging(["PICTOR_IMGPROXY_ENABLED": "true"]) { $1 })
        #expect(try daemon.get(try #require(made.lines.first, "\(made.error)")).status == 502)
        #expect(try #require(daemon.logLine(with: "no picture was fetched")).contains(source))
        #expect(!daemon.log.contains { $0.contains("REDACTED") })
    }

    @Test func `unsigned, no dialect opens what another one closes`() throws {
        let native = ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"]
        let daemon = try daemon(
            "--cloudflare-enabled", "true", "--signatures-required", "all",
            environment: keys.merging(native) { $1 })
        let source = origin.url("/a").absolute
        for target in [
            target("w:30"), "/unsafe/w:30/plain/\(source)", "//_/w:30/plain/\(source)",
            "/%5F/w:30/plain/\(source)",
            "/_/w%3A30/plain/\(source)", "/img/w:30/plain/\(source)?url=\(source)",
            "/_/plain/\(source)?url=\(source)&w=30", "/cdn-cgi/image/w=30/\(source)",
            "/img?url=\(source)&w=30",
            "/?url=\(source)&w=30", "/_next/image?url=\(source)&w=30&q=75", "http://h/_/w:30/plain/\(source)",
            "/cdn-cgi/w:30/plain/\(source)", "/health/w:30/plain/\(source)", "/_?url=\(source)",
        ] {
            let status = try daemon.get(target).status
            #expect([401, 403, 404].contains(status), "\(target): \(status)")
        }
        #expect(origin.heads.isEmpty)
    }

    @Test func `/info tells of a picture, signed as the others are`() throws {
        struct Told: Decodable {
            struct Colour: Decodable { let R, G, B, A: Int }
            let format: String
            let size, width, height, orientation, bands, pages_number: Int
            let mime_type, colorspace, sample_format: String
            let alpha: Bool
            let thumb_hash: String?
            let average: Colour?
            let blurhash: String?
        }
        func told(_ reply: Connection.Reply) throws -> Told {
            #expect(reply.status == 200 && reply["Content-Type"] == "application/json", "\(reply.text)")
            return try JSONDecoder().decode(Told.self, from: Data(reply.body))
        }
        let picture = Pictures.flat(60, 40, [200, 100, 50])
        let origin = ScriptedOrigin { $0.picture(picture) }
        let source = origin.url("/a").absolute
        let open = try daemon()
        let plain = try told(open.get("/info/_/plain/\(source)"))
        #expect(
            plain.format == "png" && plain.width == 60 && plain.height == 40 && plain.size == picture.count)
        #expect(plain.average == nil && plain.blurhash == nil && plain.thumb_hash == nil)
        #expect(plain.orientation == 1 && plain.bands == 3 && plain.pages_number == 1 && !plain.alpha)
        #expect(
            plain.mime_type == "image/png" && plain.colorspace == "srgb" && plain.sample_format == "uchar")
        let looked = try told(open.get("/info/_/avg:1/bh:4:3/th:1/plain/\(source)"))
        let colour = try #require(looked.average)
        #expect(abs(colour.R - 200) + abs(colour.G - 100) + abs(colour.B - 50) <= 6 && colour.A == 255)
        #expect(looked.blurhash?.count == 28)
        #expect(looked.thumb_hash?.wholeMatch(of: /([0-9A-F]{2}){5,25}/) != nil, "\(looked)")
        #expect(try open.get("/info/_/exif:1/plain/\(source)").status == 400)
        #expect(try open.get("/info/_/exp:1/plain/\(source)").status == 410)

        let closed = try daemon(environment: keys)
        #expect(try closed.get("/info/_/plain/\(source)").status == 401)
        let made = try PictorCommand(
            ["url", "make", "--dialect", "imgproxy", source],
            environment: keys.merging(["PICTOR_IMGPROXY_ENABLED": "true"]) { $1 })
        let url = try #require(made.lines.first, "\(made.error)")
        // The signature is over what stands behind it, as of a picture.
        #expect(try told(closed.get("/info" + url)).width == 60)
        #expect(try closed.get("/info" + url + "x").status == 403)
    }
}
