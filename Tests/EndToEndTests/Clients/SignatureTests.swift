// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

/// A daemon's keys, and the URLs that `pictor url make` signs with them.
private struct Signer {
    let keys: String
    var settings: [String: String] = [:]

    var environment: [String: String] {
        settings.merging(["PICTOR_SIGNATURES_KEYS": keys]) { $1 }
    }

    func target(_ source: SourceURL, _ options: String..., dialect: String = "native", until: Int? = nil)
        throws
        -> String
    {
        let end = until.map { ["--until", "\($0)"] } ?? []
        let command = try PictorCommand(
            ["url", "make", "--dialect", dialect] + end + [source.absolute] + options,
            environment: environment)
        return try #require(command.lines.first, "\(command.error)")
    }
}

private func now() -> Int { Int(Date.now.timeIntervalSince1970) }

@Suite("An endpoint answers signed URLs only", .endToEnd, .timeLimit(.minutes(5)))
struct SignatureTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    private let signer = Signer(keys: "0123456789abcdef0123456789abcdef")

    private func daemon(_ flags: String..., required: String = "native,weserv", signer: Signer? = nil) throws
        -> DaemonUnderTest
    {
        try DaemonUnderTest(
            ["--signatures-required", required] + flags, environment: (signer ?? self.signer).environment)
    }

    /// Expects a refusal, which is never kept.
    private func expect(
        _ reply: Connection.Reply, _ status: Int, _ word: String, _ words: Comment? = nil
    ) {
        #expect(reply.status == status, words)
        #expect(reply.text.contains("\"error\":\"\(word)\""), words)
        #expect(reply["Cache-Control"] == "no-store", words)
        #expect(reply["Content-Type"] == "application/json", words)
        #expect(reply["Location"] == nil, words)
    }

    @Test func `explain foretells a signed request as one, and refuses a wrong signature`() throws {
        let daemon = try daemon("--limits-renditions-per-original", "1", required: "weserv")
        func explain(_ target: String) throws -> Connection.Reply {
            try daemon.admin(target.replacing("/img?", with: "/admin/explain?"))
        }
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try daemon.get(origin.url(), "w=31").status == 429)
        #expect(
            try explain(DaemonUnderTest.target(origin.url(), "w=31")).text.contains("\"outcome\":\"refused\"")
        )
        let target = try signer.target(origin.url(), "w=31")
        let told = try explain(target)
        #expect(told.text.contains("\"outcome\":\"rendered\""), "\(told.text)")
        #expect(try daemon.get(target).status == 200)
        let wrong = String(target.dropLast()) + (target.hasSuffix("A") ? "B" : "A")
        expect(try daemon.get(wrong), 403, "signature_wrong")
        #expect(try explain(wrong).status == 403)
        // Where one is required, what is asked without it is explained all the same.
        let strict = try self.daemon()
        #expect(try strict.admin("/admin/explain?url=\(origin.url().absolute)").status == 200)
    }

    @Test func `with the right one it is open, without it is closed`() throws {
        let daemon = try daemon()
        let target = try signer.target(origin.url("/a b+c"), "w=30")
        let bare = String(target.prefix(target.count - 48))
        for _ in 1...2 {
            #expect(try daemon.get(target).status == 200)
            #expect(try daemon.get(target, method: "HEAD").status == 200)
            let missing = try daemon.get(bare)
            expect(missing, 401, "signature_missing")
            #expect(missing["WWW-Authenticate"] == "Signature realm=\"pictor\"")
            #expect(try daemon.get(bare, method: "HEAD").status == 401)
            expect(try daemon.get(target + "A"), 403, "signature_wrong")
            expect(try daemon.get(target.replacing("w=30", with: "w=31")), 403, "signature_wrong")
        }
        #expect(origin.heads.count == 1)
        let wrong = try daemon.get(target + "A").text
        #expect(!wrong.contains(target.suffix(43)) && !wrong.contains(signer.keys))
        #expect(!daemon.log.joined().contains(signer.keys))
    }

    @Test func `all closes every dialect; a dialect that stays open is told of at the start and by check`()
        throws
    {
        let query = "?url=\(origin.url("/a").absolute)&w=64&q=75"
        let flags = ["--cloudflare-enabled", "true", "--cloudflare-base-url", origin.url().absolute]
        let closed = try DaemonUnderTest(
            flags + ["--signatures-required", "all"], environment: signer.environment)
        for dialect in ["/img", "/", "/_next/image"] {
            expect(try closed.get(dialect + query), 401, "signature_missing")
        }
        let source = origin.url("/a").absolute
        for rest in [
            source, source.replacing("//", with: "/"), source.replacing("/", with: "%2F"),
            source.replacing("http:", with: "HTTP:"), source.replacing(":", with: "%3a") + "?w=1", "a.jpg",
            "%2Fa.jpg", "/a.jpg",
        ] {
            for options in ["w=64", "w=64,exp=9999999999", "url=x,w=64", "%77=64", "preset=thumb", ""] {
                let reply = try closed.get("/cdn-cgi/image/\(options)/\(rest)")
                expect(reply, 401, "signature_missing", "\(options), \(rest)")
            }
            expect(try closed.get("/cdn-cgi/image/w=64,sig=x/\(rest)"), 403, "signature_wrong")
            expect(try closed.get("/cdn-cgi/image/w=64,%73ig=x/\(rest)"), 403, "signature_wrong")
        }
        // A signature in the source's own query is the source's.
        expect(try closed.get("/cdn-cgi/image/w=64/\(source)?sig=x"), 401, "signature_missing")
        #expect(origin.heads.isEmpty)
        #expect(try closed.get(try signer.target(origin.url("/a"), "w=64")).status == 200)
        closed.stop()
        #expect(!closed.log.contains { $0.contains("signatures.required") })

        let open = try daemon(required: "native")
        #expect(try open.get("/" + query).status == 200)
        let line = try #require(open.logLine(with: "\"level\":\"warning\"", "signatures.required"))
        #expect(line.contains("weserv (/), next (/_next/image)") && !line.contains("native ("))
        #expect(!line.contains("cloudflare"), "it is off")
        for (required, isOpen) in [("native", true), ("all", false)] {
            let check = try PictorCommand(
                ["check", "--signatures-required", required], environment: signer.environment)
            #expect(check.status == 0)
            #expect(check.error.contains("Warning: signatures.required leaves endpoints open") == isOpen)
        }
    }

    @Test func `order and escapes are free, and no part of any key`() throws {
        let daemon = try daemon()
        let target = try signer.target(origin.url("/a"), "w=30", until: now() + 1000)
        let source = origin.url("/a").absolute
        let pieces = Dictionary(
            uniqueKeysWithValues: target.split(separator: "?")[1].split(separator: "&").map {
                ($0.prefix { $0 != "=" }, String($0))
            })
        let respelt = "/img?\(pieces["sig"] ?? "")&%77=3%30&url=\(source)&\(pieces["exp"] ?? "")"
        let tags = try [target, respelt, try signer.target(origin.url("/a"), "w=30")].map { target in
            let reply = try daemon.get(target)
            #expect(reply.status == 200, "\(target)")
            return reply["ETag"]
        }
        #expect(Set(tags).count == 1)
        #expect(origin.heads.count == 1)
        #expect(try daemon.metric("pictor_disk_entries", "kind=\"rendition\"") == 1)
    }

    @Test func `each dialect asks for its own signature, or for none`() throws {
        let daemon = try daemon()
        let source = origin.url("/a")
        let paths = ["native": "/img", "weserv": "/", "next": "/_next/image"]
        let targets = try paths.keys.reduce(into: [:]) {
            $0[$1] = try signer.target(source, "w=30", "q=75", dialect: $1)
        }
        for (dialect, target) in targets {
            let reply = try daemon.get(target)
            #expect(reply.status == 200, "\(dialect): \(reply.text)")
            let query = target.drop { $0 != "?" }
            for (other, path) in paths where other != dialect {
                expect(try daemon.get(path + query), 403, "signature_wrong", "\(dialect) at \(other)")
            }
            let bare = String(target.prefix(target.count - 48))
            #expect(try daemon.get(bare).status == (dialect == "next" ? 200 : 401), "\(dialect)")
        }
    }

    @Test func `a Cloudflare URL is signed among its options`() throws {
        let signer = Signer(keys: signer.keys, settings: ["PICTOR_CLOUDFLARE_ENABLED": "true"])
        let daemon = try DaemonUnderTest(["--signatures-required", "all"], environment: signer.environment)
        let source = origin.url("/a%20b?x=1,2&sig=y")
        let target = try signer.target(
            source, "width=30", "background=#fff", dialect: "cloudflare", until: now() + 1000)
        #expect(target.hasPrefix("/cdn-cgi/image/background=%23fff,exp="))
        let reply = try daemon.get(target)
        #expect(reply.status == 200, "\(target): \(reply.text)")
        // Merged slashes, another order, other escapes and a source as it is change nothing.
        let parts = target.split(separator: "/", maxSplits: 3)
        let options = parts[2].split(separator: ",").reversed().joined(separator: ",").replacing(
            "%23", with: "%2" + "3")
        for spelling in [source.absolute, source.absolute.replacing("//", with: "/")] {
            let other = try daemon.get("/cdn-cgi/image/\(options)/\(spelling)")
            #expect(other.status == 200 && other["ETag"] == reply["ETag"], "\(other.text)")
        }
        for (old, new) in [
            ("width=30", "width=31"), ("width=30", "w=30"), ("%23fff", "%23ffe"), ("x%3D1", "x%3D3"),
            ("exp=", "exp=1"),
        ] {
            #expect(target.contains(old))
            expect(try daemon.get(target.replacing(old, with: new)), 403, "signature_wrong", "\(new)")
        }
        expect(
            try daemon.get(target.replacing(/sig=[^\/,]*,?/, with: "").replacing(",/", with: "/")), 401,
            "signature_missing")
        let over = try signer.target(source, "w=30", dialect: "cloudflare", until: 1_000)
        expect(try daemon.get(over), 410, "url_expired")
    }

    @Test func `a signature among options is not written to the access log`() throws {
        let signer = Signer(keys: signer.keys, settings: ["PICTOR_CLOUDFLARE_ENABLED": "true"])
        let daemon = try DaemonUnderTest(environment: signer.environment)
        let target = try signer.target(origin.url("/a"), "w=30", dialect: "cloudflare")
        #expect(try daemon.get(target).status == 200)
        let line = try #require(daemon.accessLog(of: 1)?.first)
        #expect(line.contains("/cdn-cgi/image/w=30,sig=REDACTED/http%3A%2F%2F127.0.0.1"), "\(line)")
    }

    @Test func `a refusal leads nowhere else, and has the same words in weserv's dialect`() throws {
        let daemon = try daemon("--weserv-compatible-status", "true")
        for path in ["/", "/img"] {
            let query = "?url=\(origin.url("/a").absolute)&default=https://elsewhere.example/"
            expect(try daemon.get(path + query), 401, "signature_missing")
            expect(try daemon.get(path + query + "&sig=x"), 403, "signature_wrong")
            expect(try daemon.get(path + query + "&exp=1&sig=x"), 403, "signature_wrong")
        }
        let over = try signer.target(origin.url("/a"), "default=https://elsewhere.example/", until: 1_000)
        expect(try daemon.get(over), 410, "url_expired")
        let bad = try signer.target(origin.url("/a"), "w=30")
        expect(try daemon.get(bad + "&sig=x"), 403, "signature_wrong")
        #expect(origin.heads.isEmpty)
    }

    @Test func `two keys are good while they change`() throws {
        let (old, new) = (signer, Signer(keys: "fedcba9876543210fedcba9876543210"))
        let both = Signer(keys: "\(new.keys),\(old.keys)")
        let targets = try [old, new, both].map { try $0.target(origin.url("/a"), "w=30") }
        #expect(targets[1] == targets[2], "the first signs")
        let during = try daemon(signer: both)
        #expect(try targets.map { try during.get($0).status } == [200, 200, 200])
        let cache = during.cache
        during.stop()
        let after = try DaemonUnderTest(
            ["--signatures-required", "native"], cache: cache, environment: new.environment)
        #expect(try targets.map { try after.get($0).status } == [403, 200, 200])
    }

    @Test func `keys come from a file, and without any a dialect cannot want them`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/keys"
        try "\(signer.keys)\n".write(toFile: path, atomically: true, encoding: .utf8)
        let flags = ["--signatures-required", "native", "--signatures-keys-file", path]
        let target = try signer.target(origin.url("/a"), "w=30")
        #expect(try DaemonUnderTest(flags).get(target).status == 200)
        try "\(signer.keys)\n".write(
            toFile: "\(folder.path)/signature-keys", atomically: true, encoding: .utf8)
        let credential = try DaemonUnderTest(
            ["--signatures-required", "native"], environment: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(try credential.get(target).status == 200)
        for (flags, words) in [
            (["--signatures-required", "native"], "there is no key"),
            (["--signatures-keys-file", "/nowhere"], "/nowhere"),
            (["--signatures-keys", signer.keys], "use PICTOR_"),
        ] {
            let error = #expect(throws: DaemonUnderTest.DidNotStart.self) { try DaemonUnderTest(flags) }
            #expect(error?.status == 78 && error?.log.contains(words) == true, "\(error?.log ?? "")")
        }
    }

    @Test func `a free preset opens for url and preset alone`() throws {
        let presets = ["--options-presets", "thumb=w=20&h=20&fit=cover,wide=w=50"]
        let daemon = try DaemonUnderTest(
            presets + ["--signatures-required", "native", "--signatures-free-presets", "thumb"],
            environment: signer.environment)
        let source = origin.url("/a")
        let reply = try daemon.get(source, "preset=thumb")
        #expect(reply.status == 200)
        #expect(try ImageHeader.parse(reply.body).width == 20)
        #expect(try daemon.get(source, "preset=thumb&exp=\(now() + 100)").status == 200)
        for options in [
            "preset=wide", "preset=thumb&w=10", "preset=thumb&preset=thumb", "preset=thumb&default=1", "",
            "preset=thumb&output=json",
        ] {
            let reply = try daemon.get(source, options)
            expect(reply, 401, "signature_missing", "\(options)")
        }
    }

    @Test func `URLs in a signed answer are signed, and open`() throws {
        let daemon = try daemon()
        let end = now() + 1000
        let target = try signer.target(origin.url("/a"), "output=json", "json=srcset", until: end)
        let object =
            try JSONSerialization.jsonObject(with: Data(try daemon.get(target).body)) as? [String: Any]
        let srcset = try #require(object?["srcset"] as? String)
        let links = srcset.split(separator: ",").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(!links.isEmpty)
        for link in links {
            #expect(link.contains("&exp=\(end)&sig="))
            #expect(try daemon.get(link).status == 200)
        }
        let open = try self.daemon(required: "weserv")
        #expect(try open.get(origin.url("/a"), "output=json&json=srcset").text.contains("sig=") == false)
    }
}
