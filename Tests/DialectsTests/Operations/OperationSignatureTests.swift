// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import Hashing
import HTTPSemantics
import ImageHeaders
import Recipes
import RequestGrammar
@testable import Settings
@testable import Signatures
import SourceURLs
import Testing

private let now = Timestamp(seconds: 1_800_000_000)
private let open = SignatureRule(keys: nil, required: [], freePresets: [])

private func thumbor(
    keys: String = "", unsafe: Bool = false, required: [String] = [], path: String = "/thumbor"
) throws -> any Dialect {
    var settings = Settings()
    settings.thumbor.keys = try #require(PlainKeys(settingText: keys))
    (settings.thumbor.enabled, settings.thumbor.unsafe, settings.thumbor.path) = (true, unsafe, path)
    settings.signatures.required = required
    return try Dialects(settings)[.thumbor]
}

private func imagor(
    keys: String = "", signer: String = "sha1", truncate: Int = 0, path: String = "/imagor"
) throws -> any Dialect {
    var settings = Settings()
    settings.imagor.keys = try #require(PlainKeys(settingText: keys))
    (settings.imagor.enabled, settings.imagor.signer, settings.imagor.path) = (true, signer, path)
    settings.imagor.truncate = truncate
    return try Dialects(settings)[.imagor]
}

private func admit(
    _ target: String, at dialect: any Dialect, _ rule: SignatureRule = open
) throws -> SignatureRule.Admission {
    try dialect.admit(RequestTarget(target.utf8), rule, now: now)
}

@Suite("Signatures of thumbor and imagor open their own URLs, as they were made")
struct OperationSignatureTests {
    /// From thumbor's document about libraries, all by `my-security-key`, and by the default security key.
    @Test(arguments: [
        "8ammJH8D-7tXy6kU3lTvoXlhu4o=/300x200/my.server.com/some/path/to/image.jpg",
        "Ps3ORJDqxlSQ8y00T29GdNAh2CY=/meta/my.server.com/some/path/to/image.jpg",
        "-2NHpejRK2CyPAm61FigfQgJBxw=/smart/my.server.com/some/path/to/image.jpg",
        "uvLnA6TJlF-Cc-L8z9pEtfasO3s=/fit-in/my.server.com/some/path/to/image.jpg",
    ])
    func `thumbor's published signatures verify`(path: String) throws {
        let dialect = try thumbor(keys: "my-security-key")
        let admission = try admit("/thumbor/\(path)", at: dialect)
        #expect(admission.ground == .signed)
        let asked = try dialect.read(admission.target)
        #expect(asked.source.absolute == "http://my.server.com/some/path/to/image.jpg")
        #expect(try admit("/thumbor/\(path.replacing("=/", with: "%3D/"))", at: dialect).ground == .signed)
        #expect(try admit("/thumbor/\(path)?v=1", at: dialect).ground == .signed)
        for wrong in [
            path.replacing("my.server", with: "my.servers"), path.replacing("=/", with: "/"), "x" + path,
        ] {
            #expect(throws: SignatureFailure.wrong) { try admit("/thumbor/\(wrong)", at: dialect) }
        }
        #expect(throws: SignatureFailure.wrong) { try admit("/thumbor/\(path)", at: thumbor()) }
        #expect(throws: SignatureFailure.wrong) {
            try admit("/thumbor/\(path)", at: thumbor(keys: "another-key"))
        }
        #expect(
            try admit("/thumbor/\(path)", at: thumbor(keys: "another-key,my-security-key")).ground == .signed)
    }

    /// From imagor's document about security, by `mysecret`.
    @Test(arguments: [
        ("sha1", 0, "cST4Ko5_FqwT3BDn-Wf4gO3RFSk="),
        ("sha256", 40, "IGEn3TxngivD0jy4uuiZim2bdUCvhcnVi1Nm0xGy"),
    ])
    func `imagor's published signatures verify`(signer: String, truncate: Int, signature: String) throws {
        let path = "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png"
        let dialect = try imagor(keys: "mysecret", signer: signer, truncate: truncate)
        #expect(try admit("/imagor/\(signature)/\(path)", at: dialect).ground == .signed)
        for other in [("sha1", 0), ("sha256", 40), ("sha256", 0), ("sha512", 0)]
        where other.0 != signer || other.1 != truncate {
            let dialect = try imagor(keys: "mysecret", signer: other.0, truncate: other.1)
            #expect(throws: SignatureFailure.wrong) { try admit("/imagor/\(signature)/\(path)", at: dialect) }
        }
    }

    /// From imagor's tests, which use a key of four characters.
    @Test func `the keys of imagor's own tests make its signatures`() {
        let path = Array(
            "meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img".utf8)
        #expect(OperationKeys(["1234"]).signature(of: path) == "VTAq7YIRbEXgtwAcsTMhAjvBuT8=")
        #expect(
            OperationKeys(["1234"], hash: .sha256, length: 40).signature(of: path)
                == "XBCO7esuLsNQuSF2v9ie36pESRGx2rzLjhUxXWnV")
        #expect(
            OperationKeys(["1234"]).signature(of: Array("foo.jpg".utf8)) == "_-19cQt1szHeUV0WyWFntvTImDI=")
        #expect(OperationKeys([]).signature(of: path) == nil && !OperationKeys([]).verify([], of: path))
    }

    @Test func `imagor tries a path with its escapes decoded, and reads what it has verified`() throws {
        let dialect = try imagor(keys: "12345678")
        let signature = try #require(
            OperationKeys(["12345678"]).signature(of: Array("filters:fill(red)/a.example/b".utf8)))
        for path in ["filters:fill(red)/a.example/b", "filters%3Afill%28red%29/a.example/b"] {
            let admission = try admit("/imagor/\(signature)/\(path)", at: dialect)
            #expect(admission.ground == .signed)
            #expect(try dialect.read(admission.target).recipe.canonical == "bg=ff0000&n=-1")
        }
        #expect(throws: SignatureFailure.wrong) {
            try admit("/imagor/\(signature)/filters%3Afill%28red%2529/a.example/b", at: dialect)
        }
    }

    @Test func `who has keys wants signatures, unless unsafe is allowed`() throws {
        for target in ["unsafe/40x30/a.example/b", "%75nsafe/40x30/a.example/b", "unsafe//a.example/b"] {
            #expect(try admit("/thumbor/\(target)", at: thumbor()).ground == .open)
            #expect(
                try admit("/thumbor/\(target)", at: thumbor(keys: "12345678", unsafe: true)).ground == .open)
            #expect(throws: SignatureFailure.missing) {
                try admit("/thumbor/\(target)", at: thumbor(keys: "12345678"))
            }
            let rule = SignatureRule(keys: nil, required: [.thumbor], freePresets: [])
            #expect(throws: SignatureFailure.missing) {
                try admit("/thumbor/\(target)", at: thumbor(keys: "12345678", unsafe: true), rule)
            }
        }
        #expect(throws: SignatureFailure.missing) { try admit("/thumbor/unsafe", at: thumbor()) }
        #expect(throws: SignatureFailure.wrong) { try admit("/thumbor/UNSAFE/a.example/b", at: thumbor()) }
        #expect(throws: SignatureFailure.wrong) { try admit("/thumbor//unsafe/a.example/b", at: thumbor()) }
        #expect(throws: UnusableSetting.self) { try thumbor(required: ["thumbor"]) }
        #expect(throws: UnusableSetting.self) { try thumbor(required: ["all"]) }
        #expect(try thumbor().isOpen(by: open))
        #expect(try !thumbor(keys: "12345678").isOpen(by: open))
    }

    @Test func `imagor skips slashes before a URL, thumbor does not`() throws {
        let signature = try #require(OperationKeys(["12345678"]).signature(of: Array("4x3/a.example/b".utf8)))
        for slashes in ["/", "//", "///"] {
            #expect(try admit("/imagor\(slashes)unsafe/4x3/a.example/b", at: imagor()).ground == .open)
            let signed = try admit(
                "/imagor\(slashes)\(signature)/4x3/a.example/b", at: imagor(keys: "12345678"))
            #expect(signed.ground == .signed)
            let target = try RequestTarget("/imagor\(slashes)params/unsafe/4x3/a.example/b".utf8)
            #expect(try imagor().meaning(of: target)?.contains("\"width\": 4") == true)
        }
        let target = try RequestTarget("//unsafe/a.example/b".utf8)
        #expect(try imagor(path: "/").holds(target) && !thumbor(path: "/").holds(target))
        for own in ["//img?url=a", "//img/x", "//health/live", "//_next/image?url=a"] {
            #expect(try !imagor(path: "/").holds(RequestTarget(own.utf8)), "\(own)")
        }
    }

    @Test func `a time of expiry ends a URL of imagor's`() throws {
        func target(_ milliseconds: Int64) -> String {
            "/imagor/unsafe/filters:expire(\(milliseconds))/a.example/b"
        }
        #expect(try admit(target(1_800_000_001_000), at: imagor()).expiry == 1_800_000_001)
        #expect(throws: SignatureFailure.expired(at: 1_800_000_000)) {
            try admit(target(1_800_000_000_000), at: imagor())
        }
        #expect(throws: SignatureFailure.expired(at: 0)) { try admit(target(999), at: imagor()) }
        #expect(try admit("/thumbor/unsafe/filters:expire(1)/a.example/b", at: thumbor()).expiry == nil)
    }

    @Test func `below the root, only what looks like one of its URLs is one`() throws {
        for dialect in [try thumbor(path: "/"), try imagor(path: "/")] {
            for target in [
                "/unsafe/a.example/b", "/unsafe/", "/8ammJH8D-7tXy6kU3lTvoXlhu4o=/300x200/a",
                "/\(String(repeating: "a", count: 40))/x",
            ] {
                #expect(try dialect.holds(RequestTarget(target.utf8)), "\(target)")
            }
            for target in [
                "/", "/favicon.ico", "/unsafe", "/300x200/a.example/b", "/img?url=a", "/img/x",
                "/health/live",
                "/cdn-cgi/image/w=1/x", "/\(String(repeating: "!", count: 40))/x",
            ] {
                #expect(try !dialect.holds(RequestTarget(target.utf8)), "\(target)")
            }
        }
        #expect(try thumbor().holds(RequestTarget("/thumbor/300x200/a.example/b".utf8)))
        #expect(try !thumbor().holds(RequestTarget("/thumbors/unsafe/b".utf8)))
    }

    @Test func `a URL is made of segments in their order, and is signed`() throws {
        let dialect = try thumbor(keys: "my-security-key")
        func made(_ options: [String], at dialect: any Dialect, exp: String? = nil) throws -> String? {
            var words = [("url", "https://a.example/b%20c.jpg?x=1" as String?)] + options.map { ($0, nil) }
            if let exp { words.append(("exp", exp)) }
            return try dialect.url(saying: CanonicalQuery(words), by: open)
        }
        let url = try #require(
            try made(["smart", "filters:quality(80)", "300x200", "left", "fit-in"], at: dialect))
        #expect(
            url.hasSuffix(
                "=/fit-in/300x200/left/smart/filters:quality(80)/https%3A%2F%2Fa.example%2Fb%2520c.jpg%3Fx%3D1"
            ),
            "\(url)")
        let admission = try admit(url, at: dialect)
        #expect(admission.ground == .signed)
        #expect(try dialect.read(admission.target).source.absolute == "https://a.example/b%20c.jpg?x=1")
        #expect(try made(["300x200"], at: thumbor()) == nil)
        #expect(throws: Refusal.self) { try made(["w=300"], at: dialect) }
        #expect(throws: Refusal.self) { try made(["300x200"], at: dialect, exp: "1900000000") }
        let other = try imagor(keys: "mysecret")
        for (options, text) in [
            (["300x200/smart"], "/300x200/smart/filters:expire(1900000000000)/https"),
            (["filters:quality(8)", "300x"], "/300x/filters:quality(8):expire(1900000000000)/https"),
        ] {
            let url = try #require(try made(options, at: other, exp: "1900000000"))
            #expect(url.contains(text), "\(url)")
            #expect(try admit(url, at: other).expiry == 1_900_000_000)
        }
    }

    @Test func `codes are those of RFC 2202 and RFC 4231`() {
        let message = Array("what do ya want for nothing?".utf8)
        func hex(_ hash: KeyedHash) -> String {
            hash.code(of: message, key: Array("Jefe".utf8)).map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }.joined()
        }
        #expect(hex(.sha1) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(hex(.sha256) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(.sha512)
                == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        )
    }
}

@Suite("Settings of thumbor's and imagor's URLs")
struct OperationSettingsTests {
    @Test(arguments: [
        ("thumbor.base-url", "site"), ("thumbor.auto-formats", "gif"),
        ("imagor.base-url", "https://a.example/?x"),
        ("imagor.auto-formats", "webp, x"),
    ])
    func `one that cannot be used is named`(key: String, value: String) throws {
        let flag = "--" + key.replacing(".", with: "-")
        let settings = try SettingsLoader.load(flags: [flag, value], environment: [:], file: nil)
        let error = #expect(throws: UnusableSetting.self) { try Dialects(settings) }
        #expect(error?.description.hasPrefix(key) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("thumbor.path", "img"), ("thumbor.path", "/img"), ("thumbor.scheme", "ftp"),
        ("thumbor.other-filters", "maybe"),
        ("imagor.signer", "md5"), ("imagor.signer-truncate", "10"), ("imagor.signer-truncate", "89"),
    ])
    func `one of another form is refused at the start`(key: String, value: String) {
        let flag = "--" + key.replacing(".", with: "-")
        #expect(throws: (any Error).self) {
            try SettingsLoader.load(flags: [flag, value], environment: [:], file: nil)
        }
    }

    @Test(arguments: ["a,b", "short", "with blank in it", "tab\tulated1"])
    func `a key has eight characters at least`(text: String) {
        let keys = PlainKeys(settingText: text)
        #expect(keys == nil || keys?.texts.allSatisfy { $0.utf8.count >= 8 } == true)
        #expect(
            PlainKeys(settingText: "MY_SECURE_KEY\nanother!$%&()\n")?.texts == [
                "MY_SECURE_KEY", "another!$%&()",
            ])
        #expect(PlainKeys(settingText: "")?.isSet == false)
    }

    @Test func `formats by Accept are for URLs that name none`() throws {
        var settings = Settings()
        (settings.thumbor.enabled, settings.thumbor.autoFormats) = (true, ["webp"])
        let dialect = try Dialects(settings)[.thumbor]
        for (filters, output, usual) in [
            ("", Recipe.Output.auto, DefaultFormat.own), ("filters:autojpg()/", .auto, .common),
            ("filters:format(png)/", .format(.png), .common), ("meta/", .json, .common),
        ] {
            let admission = try admit("/thumbor/unsafe/\(filters)a.example/b", at: dialect)
            let asked = try dialect.read(admission.target)
            #expect(asked.recipe.output == output && asked.terms.defaultFormat == usual, "\(filters)")
        }
        #expect(dialect.accepted([.avif, .webp]) == .webp)
    }
}
