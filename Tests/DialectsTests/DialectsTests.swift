// SPDX-License-Identifier: Apache-2.0

import Pipeline
import SourceURLs
import Answers
@testable import Dialects
import HTTPSemantics
import Recipes
import RequestGrammar
@testable import Settings
@testable import Signatures
import Testing

@Suite("Every URL has one dialect or none")
struct DialectsTests {
    private func name(_ target: String, _ settings: Settings = Settings()) throws -> DialectName? {
        try Dialects(settings).dialect(of: RequestTarget(target.utf8))?.name
    }

    @Test func `a dialect knows its URLs by their path, and weserv's by their url too`() throws {
        #expect(try name("/img") == .native && name("/img?url=a.com") == .native)
        #expect(try name("/?url=a.com") == .weserv && name("/?w=1&url") == .weserv)
        #expect(try name("/_next/image?url=%2Fa.png&w=640&q=75") == .next)
        #expect(try name("/_vercel/image?url=%2Fa.png&w=640&q=75") == .next)
        for target in ["/", "/?w=1", "/?curl=1", "/img/", "/image", "/_next/images", "/_next/image/x"] {
            #expect(try name(target) == nil, "\(target)")
        }
    }

    @Test func `Next's path may be Vercel's, and end with a slash, and is signed as Next's`() throws {
        var settings = Settings()
        settings.signatures.keys = Secrets(settingText: "0123456789abcdef0123456789abcdef") ?? .none
        settings.signatures.required = ["next"]
        let (rule, dialects) = (try settings.signatureRule, try Dialects(settings))
        let query = CanonicalQuery([("url", "https://a.com/b"), ("w", "640"), ("q", "75")])
        let signed = try #require(rule.sign(query, path: "/_next/image"))
        let now = Timestamp(seconds: 0)
        for path in ["/_next/image", "/_next/image/", "/_vercel/image", "/_vercel/image/"] {
            let text = signed.replacing("/_next/image?", with: "\(path)?")
            let match = dialects.match(try RequestTarget(text.utf8))
            let (dialect, target) = (try #require(match?.dialect), try #require(match?.target))
            #expect(dialect.name == .next)
            let admission = try dialect.admit(target, rule, now: now)
            #expect(admission.ground == .signed)
            #expect(try dialect.read(admission.target).source.absolute == "https://a.com/b")
        }
        for path in [
            "/_next/image//", "/_next/image/x", "/_next/images", "//_next/image", "/_vercel/images",
            "/_vercel",
        ] {
            #expect(try name("\(path)?url=%2Fa.png&w=640&q=75") == nil, "\(path)")
        }
    }

    @Test func `a plus in a query of Next's is a blank, also where it is signed`() throws {
        var settings = Settings()
        settings.next.baseURL = "https://a.com"
        settings.signatures.keys = Secrets(settingText: "0123456789abcdef0123456789abcdef") ?? .none
        let (rule, dialects) = (try settings.signatureRule, try Dialects(settings))
        let query = CanonicalQuery([("url", "/my photo+1.jpg"), ("w", "640"), ("q", "75")])
        let signed = try #require(rule.sign(query, path: "/_next/image"))
        for text in [
            "/_next/image?url=%2Fmy+photo%2B1.jpg&w=640&q=75",
            "/_next/image/?url=/my%20photo%2B1.jpg&w=640&q=75",
            signed, signed.replacing("%20", with: "+"),
        ] {
            let match = dialects.match(try RequestTarget(text.utf8))
            let (dialect, target) = (try #require(match?.dialect), try #require(match?.target))
            let admission = try dialect.admit(target, rule, now: Timestamp(seconds: 0))
            #expect(admission.ground == (text.contains("sig=") ? .signed : .open))
            #expect(try dialect.read(admission.target).source.absolute == "https://a.com/my%20photo+1.jpg")
        }
        // In other dialects it is a plus.
        let native = dialects.match(try RequestTarget("/img?url=a.com/my+photo.jpg".utf8))
        let asked = try native.map { try $0.dialect.read($0.target) }
        #expect(asked?.source.absolute == "https://a.com/my+photo.jpg")
    }

    @Test func `a name with an extension may stand behind img, and is no part of the request`() throws {
        for path in [
            "/img/photo.jpg", "/img/A-z_0.9.webp", "/img/a%2Ejpg",
            "/img/\(String(repeating: "a", count: 253)).b",
        ] {
            #expect(try name("\(path)?url=a.com") == .native, "\(path)")
            let dialect = try Dialects(Settings())[.native]
            let asked = try dialect.read(RequestTarget("\(path)?url=a.com/b&w=20".utf8))
            let bare = try dialect.read(RequestTarget("/img?url=a.com/b&w=20".utf8))
            #expect((asked.source, asked.recipe) == (bare.source, bare.recipe))
        }
        for path in [
            "/img/", "/img/photo", "/img/.jpg", "/img/a.", "/img/..", "/img/a.b/c.jpg", "/img/a%2Fb.jpg",
            "/img/a%3Fb.jpg",
            "/img/a%26b.jpg", "/img/%C3%A9.jpg", "/img/a%0D%0A.jpg", "/img/a%20b.jpg", "/img//a.jpg",
            "/images/a.jpg",
            "/img/\(String(repeating: "a", count: 254)).b",
        ] {
            #expect(try name("\(path)?url=a.com") == nil, "\(path)")
        }
    }

    @Test func `a signature is of one name`() throws {
        var settings = Settings()
        settings.signatures.keys = Secrets(settingText: "0123456789abcdef0123456789abcdef") ?? .none
        settings.signatures.required = ["native"]
        let (rule, dialect) = (try settings.signatureRule, try Dialects(settings)[.native])
        let signed = try #require(rule.sign(CanonicalQuery([("url", "a.com/b")]), path: "/img/a.jpg"))
        let now = Timestamp(seconds: 0)
        #expect(try dialect.admit(RequestTarget(signed.utf8), rule, now: now).ground == .signed)
        for other in ["/img", "/img/b.jpg", "/img/a.jpeg"] {
            let target = try RequestTarget(signed.replacing("/img/a.jpg", with: other).utf8)
            #expect(throws: SignatureFailure.wrong) { try dialect.admit(target, rule, now: now) }
        }
    }

    @Test(arguments: [
        ("/cdn-cgi/image/width=80/https://a.com/b", [DialectName.cloudflare]),
        ("/unsafe/rs:fit:3:2/plain/https://a.com/b", [.imgproxy]), ("/_/plain/https://a.com/b", [.imgproxy]),
        ("/thumbor/unsafe/30x20/a.com/b", [.thumbor]), ("/imagor/x/a.com/b", [.imagor]),
        ("/wp-login.php", []), ("/a/b/c", []), ("/img/x", []), ("/unsafe", []), ("/cdn-cgi/trace", []),
    ])
    func `a URL of a dialect that is off is known by how it begins`(target: String, names: [DialectName])
        throws
    {
        var settings = Settings()
        settings.cloudflare.enabled = false
        #expect(try Dialects(settings).disabled(holding: RequestTarget(target.utf8)) == names)
        #expect(ErrorResponse.unserved(names).code == "not_found")
        for name in names {
            #expect(ErrorResponse.unserved(names).message.contains("\(name.rawValue).enabled"))
        }
        settings.cloudflare.enabled = true
        (settings.imgproxy.enabled, settings.thumbor.enabled, settings.imagor.enabled) = (true, true, true)
        #expect(try Dialects(settings).disabled(holding: RequestTarget(target.utf8)).isEmpty)
    }

    @Test(arguments: [
        ("/unsafe/300x200/a.com/b", [DialectName.thumbor, .imagor]),
        ("/unsafe/fit-in/-3x2/a.com/b", [.thumbor, .imagor]),
        ("/unsafe/filters:blur(2)/a.com/b", [.thumbor, .imagor]),
        ("/unsafe/rs:fit:3:2/plain/https://a.com/b", []), ("/unsafe/trim:10/plain/https://a.com/b", []),
        ("/insecure/300x200/a.com/b", []), ("/300x200/a.com/b", []), ("/thumbor/unsafe/300x200/a.com/b", []),
    ])
    func `a URL of operations at the root is known, although its dialects lie elsewhere`(
        target: String, names: [DialectName]
    ) throws {
        var settings = Settings()
        let target = try RequestTarget(target.utf8)
        for isServed in [false, true] {
            (settings.thumbor.enabled, settings.imagor.enabled) = (isServed, isServed)
            let dialects = try Dialects(settings)
            #expect(dialects.elsewhere(meaning: target) == names)
            guard !names.isEmpty else { continue }
            let words = ErrorResponse.unserved(dialects.disabled(holding: target), elsewhere: names).message
            #expect(words.contains("(thumbor.enabled and thumbor.path, or imagor."), "\(words)")
        }
        (settings.thumbor.path, settings.imagor.path) = ("/", "/imagor")
        settings.thumbor.enabled = false
        let others = names.filter { $0 == .imagor }
        #expect(try Dialects(settings).elsewhere(meaning: target) == others)
    }

    @Test func `every name has its dialect, and no two share a path`() throws {
        let dialects = try Dialects(Settings())
        for name in DialectName.allCases { #expect(dialects[name].name == name) }
        #expect(Set(DialectName.allCases.map { dialects[$0].path }).count == DialectName.allCases.count)
        #expect(dialects.list().hasPrefix("native (/img), weserv (/), next (/_next/image)"))
    }

    @Test func `Accept counts for what the settings let it choose`() throws {
        var settings = Settings()
        let all: AcceptClass = [.avif, .webp]
        #expect(try Dialects(settings)[.native].accepted(all) == all)
        #expect(try Dialects(settings)[.next].accepted(all) == .webp)
        settings.next.formats = ["avif", "webp"]
        #expect(try Dialects(settings)[.next].accepted(all) == all)
    }

    @Test(arguments: [
        ("next.widths", "0"), ("next.qualities", "101"), ("next.base-url", "ftp://a"),
        ("next.base-url", "https://a?b"), ("next.base-url", "https://a/#b"), ("next.formats", "gif"),
        ("options.width-ladder", "x"), ("options.presets", "thumb"),
    ])
    func `a setting that a dialect cannot use is named`(key: String, value: String) throws {
        let flag = "--" + key.replacing(".", with: "-")
        let settings = try SettingsLoader.load(flags: [flag, value], environment: [:], file: nil)
        let error = #expect(throws: UnusableSetting.self) { try Dialects(settings) }
        #expect(error?.description.hasPrefix(key) == true, "\(error?.description ?? "")")
    }

    @Test func `a dialect of paths is one type`() throws {
        let target = try RequestTarget("/sized/120x80/a.com/x.png".utf8)
        let dialect: any Dialect = SizedPaths()
        #expect(dialect.holds(target))
        #expect(try !dialect.holds(RequestTarget("/img?url=a.com".utf8)))
        let rule = SignatureRule(keys: nil, required: [], freePresets: [])
        let admission = try dialect.admit(target, rule, now: Timestamp(seconds: 0))
        let asked = try dialect.read(admission.target)
        #expect(asked.source.absolute == "https://a.com/x.png")
        #expect(asked.recipe.canonical == "fit=cover&h=80&w=120")
        #expect(throws: Refusal.self) { try dialect.read(RequestTarget("/sized/x/a.com".utf8)) }
        #expect(dialect.question(asked, .webp).accepted == .webp)
    }
}

/// `/sized/120x80/host/path`, as a future dialect may look.
private struct SizedPaths: Dialect {
    func accepted(_ accept: AcceptClass) -> AcceptClass { accept }

    var name: DialectName { .native }
    var path: String { "/sized" }
    var place: PathPlace? { PathPlace("/sized") }

    func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest {
        let parts = target.path.split(separator: "/", maxSplits: 2)
        let sides = parts.dropFirst().first?.split(separator: "x").compactMap { Int($0) } ?? []
        guard parts.count == 3, sides.count == 2 else { throw Refusal(.notFound) }
        do throws(RequestError) {
            return try ImageRequest.parse(query: "fit=cover&w=\(sides[0])&h=\(sides[1])&url=\(parts[2])")
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}
