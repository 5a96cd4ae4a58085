// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import HTTPSemantics
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
@testable import Signatures
import SourceURLs
import Testing

private let source = "plain/https://a.example/b.jpg"

@Suite("imgproxy's signatures are made as there")
struct ImgproxySignatureTests {
    private let now = Timestamp(seconds: 1_000)

    private func ground(
        _ target: String, required: Set<DialectName> = [], _ change: (inout Settings) -> Void
    ) throws -> SignatureRule.Admission.Ground {
        let rule = SignatureRule(keys: nil, required: required, freePresets: [])
        return try imgproxy(change).admit(RequestTarget(target.utf8), rule, now: now).ground
    }

    /// The key and the salt of imgproxy's documents.
    private func documented(_ settings: inout Settings) {
        settings.imgproxy.keys = HexPairs(settingText: "736563726574:68656C6C6F") ?? .none
    }

    private let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private let signature = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"

    @Test func `the example of imgproxy's document verifies`() throws {
        #expect(try ground("/\(signature)\(path)", documented) == .signed)
        #expect(try ground("/\(signature)\(path.replacing(":", with: "%3A"))", documented) == .signed)
        #expect(try ground("/\(signature)\(path)?any=query", documented) == .signed)
        #expect(
            try read(imgproxy: "/\(signature)\(path)", documented).source.absolute
                == "http://example.com/images/curiosity.jpg")
    }

    @Test func `a second slash behind the signature counts as none`() throws {
        #expect(try ground("/\(signature)/\(path)", documented) == .signed)
        let once = try read(imgproxy: "/_/w:8/\(source)")
        #expect(try read(imgproxy: "/_//w:8/\(source)") == once)
        #expect(try read(imgproxy: "/_//\(source)").source == once.source)
        let encoded = "aHR0cHM6Ly9hLmV4YW1wbGUvYi5qcGc"
        #expect(try read(imgproxy: "/_//\(encoded)").source == once.source)
        #expect(try refusal(imgproxy: "/_//").contains("no source"))
    }

    @Test func `slashes that a proxy has merged are signed as they were`() throws {
        let signature = "hoJtGecFUncVcJyCiSSb4cdAJV30EJXZ53FvS57lNVY"
        for path in ["/w:30/plain/local:///a/b.jpg", "/w:30/plain/local:/a/b.jpg"] {
            #expect(try ground("/\(signature)\(path)", documented) == .signed, "\(path)")
        }
    }

    @Test(arguments: [
        "/insecure", "/unsafe", "/_", "", "/", "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH9",
        "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8=", "/oKfUtW34Dvo2BGQehJFR4Nr0", "/%5F",
        "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8/w:9",
    ])
    func `with keys, nothing else is let in`(signature: String) throws {
        #expect(throws: SignatureFailure.self) { try ground("\(signature)\(path)", documented) }
    }

    @Test func `every pair verifies, the first signs, and a signature may be short`() throws {
        let short = { (settings: inout Settings) in
            settings.imgproxy.keys = HexPairs(settingText: "00ff:aabb\n736563726574:68656c6c6f") ?? .none
            settings.imgproxy.signatureSize = 8
        }
        #expect(try ground("/\(signature.prefix(11))\(path)", short) == .signed, "8 bytes")
        #expect(throws: SignatureFailure.wrong) { try ground("/\(signature)\(path)", short) }
        let query = CanonicalQuery([("url", "https://a/b.jpg"), ("rs", "fill:30:40"), ("f", "png")])
        let rule = SignatureRule(keys: nil, required: [.imgproxy], freePresets: [])
        let url = try #require(try imgproxy(short).url(saying: query, by: rule))
        #expect(url.hasSuffix("/f:png/rs:fill:30:40/aHR0cHM6Ly9hL2IuanBn"))
        #expect(try ground(url, required: [.imgproxy], short) == .signed)
        #expect(
            try read(imgproxy: url, short).recipe.canonical
                == "fit=cover&h=40&metadata=copyright&output=png&w=30")
    }

    @Test func `trusted words are as good`() throws {
        let trusted = { (settings: inout Settings) in
            self.documented(&settings)
            settings.imgproxy.trustedSignatures = SecretWords(settingText: "friend, unsafe") ?? .none
        }
        #expect(try ground("/friend\(path)", trusted) == .signed)
        #expect(try ground("/unsafe\(path)", trusted) == .signed)
        #expect(throws: SignatureFailure.missing) { try ground("/insecure\(path)", trusted) }
        #expect(throws: SignatureFailure.wrong) { try ground("/foe\(path)", trusted) }
    }

    @Test func `without keys, anything stands there, unless signatures are required`() throws {
        for word in ["insecure", "anything"] {
            #expect(try ground("/\(word)\(path)", { _ in }) == .open)
        }
        for required in ["all", "imgproxy"] {
            let error = #expect(throws: UnusableSetting.self) {
                try imgproxy { $0.signatures.required = [required] }
            }
            #expect(error?.description.contains("imgproxy.keys-file") == true)
        }
        #expect(throws: Never.self) {
            try ImgproxyDialect(Self.off(required: "all"), .empty)
        }
    }

    @Test func `without keys, an option does not stand there`() throws {
        for target in ["/rs:fill:300:400/\(source)", "/w:8/h:8/\(source)", "/info/avg:1/\(source)"] {
            #expect(try refusal(imgproxy: target).contains("begins with an option"), "\(target)")
        }
        let comma = { (settings: inout Settings) in settings.imgproxy.argumentsSeparator = "," }
        #expect(try refusal(imgproxy: "/w,8/\(source)", comma).contains("begins with an option"))
        #expect(try read(imgproxy: "/w:8/h,9/\(source)", comma).recipe.height == .pixels(9))
        let trusted = { (settings: inout Settings) in
            settings.imgproxy.trustedSignatures = SecretWords(settingText: "a:b") ?? .none
        }
        #expect(try read(imgproxy: "/a:b/w:8/\(source)", trusted).recipe.width == .pixels(8))
    }

    private static func off(required: String) -> Settings {
        var settings = Settings()
        settings.signatures.required = [required]
        return settings
    }

    @Test func `a URL ends when it says so`() throws {
        let rule = SignatureRule(keys: nil, required: [], freePresets: [])
        let target = try RequestTarget("/_/exp:1001/\(source)".utf8)
        #expect(try imgproxy().admit(target, rule, now: now).expiry == 1_001)
        #expect(throws: SignatureFailure.expired(at: 1_001)) {
            try imgproxy().admit(target, rule, now: Timestamp(seconds: 1_001))
        }
    }

    @Test func `pairs are hexadecimal`() {
        #expect(HexPairs(settingText: "00:ff, AB:cd\n01:02\n")?.pairs.count == 3)
        #expect(HexPairs(settingText: "")?.isSet == false)
        for text in ["00", "00:", ":00", "0:00", "00:0g", "00:00:00", "00;00", "é0:00"] {
            #expect(HexPairs(settingText: text) == nil, "\(text)")
        }
    }

    @Test func `any change of a signed path is refused`() throws {
        var random = SeededRandom(for: "imgproxy's signatures")
        let bytes = Array(path.utf8)
        for _ in 0..<300 {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            changed[place] = UInt8.random(in: 0x21...0x7E, using: &random)
            guard changed != bytes, changed[place] != UInt8(ascii: "?"), changed[place] != UInt8(ascii: "%")
            else { continue }
            let target = "/\(signature)\(String(decoding: changed, as: UTF8.self))"
            #expect(throws: SignatureFailure.self, "\(target)") { try ground(target, documented) }
        }
    }
}
