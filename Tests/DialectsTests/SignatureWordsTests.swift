// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import HTTPSemantics
import RequestGrammar
@testable import Settings
@testable import Signatures
import Testing

@Suite("Whose URL is not let in is told what to write instead")
struct SignatureWordsTests {
    /// The message to a URL that is refused, with these settings; they must not admit it.
    private func message(
        _ target: String, at name: DialectName, required: [String] = [],
        _ change: (inout Settings) -> Void = { _ in }
    ) throws -> String {
        var settings = Settings()
        (settings.thumbor.enabled, settings.imagor.enabled, settings.imgproxy.enabled) = (true, true, true)
        settings.signatures.required = required
        change(&settings)
        let dialect = try Dialects(settings)[name]
        let rule = try settings.signatureRule
        let url = dialect.plain(try RequestTarget((dialect.path + target).utf8))
        do throws(SignatureFailure) {
            _ = try dialect.admit(url, rule, now: Timestamp(seconds: 1_000))
        } catch {
            return dialect.refusal(for: error, of: url, rule).message
        }
        Issue.record("\(target) is let in")
        return ""
    }

    private static let key = "a-key-that-nobody-else-has-in-here"

    private static func thumbor(_ settings: inout Settings) {
        settings.thumbor.keys = PlainKeys(settingText: key) ?? .none
        settings.imagor.keys = PlainKeys(settingText: key) ?? .none
    }

    private static func imgproxy(_ settings: inout Settings) {
        settings.imgproxy.keys = HexPairs(settingText: "736563726574:68656C6C6F") ?? .none
    }

    @Test(arguments: [
        ("/300x200/a.example/b.jpg", "\"300x200\" stands where the signature or the word unsafe belongs."),
        ("/300x200/a.example/b.jpg", "/unsafe/300x200/host/photo.jpg"),
        ("/UNSAFE/a.example/b.jpg", "\"UNSAFE\" stands"),
        ("/%0D%0A%1B[31m/a.example/b.jpg", "\"???[31m\" stands"),
        ("/8ammJH8D-7tXy6kU3lTvoXlhu4o=/a.example/b.jpg", "Write unsafe in its place, or set"),
        ("/unsafe", "The URL ends before its picture."),
    ])
    func `thumbor's and imagor's without keys begin with unsafe`(target: String, words: String) throws {
        for name in [DialectName.thumbor, .imagor] {
            #expect(try message(target, at: name).contains(words))
        }
    }

    @Test(arguments: [
        ("/300x200/a.example/b.jpg", "Write the signature before it"),
        ("/unsafe/300x200/a.example/b.jpg", "\"unsafe\" in place of its signature"),
        ("/8ammJH8D-7tXy6kU3lTvoXlhu4o=/a.example/b.jpg", "by another key"), ("/unsafe", "SIGNATURE/300x200"),
    ])
    func `with keys they begin with a signature`(target: String, words: String) throws {
        for name in [DialectName.thumbor, .imagor] {
            let message = try message(target, at: name, Self.thumbor)
            #expect(message.contains(words))
            #expect(message.contains("\(name.rawValue).keys-file") || target == "/unsafe")
            #expect(!message.contains(Self.key))
        }
        let open = try message("/300x200/a.example/b.jpg", at: .thumbor) {
            Self.thumbor(&$0)
            $0.thumbor.unsafe = true
        }
        #expect(open.contains(", or unsafe"))
    }

    @Test(arguments: [
        ("/unsafe/w:8/plain/https://a.example/b.jpg", "\"unsafe\" in place of its signature"),
        ("/rs:fill:3:4/plain/https://a.example/b.jpg", "\"rs:fill:3:4\" stands where the signature belongs."),
        ("/thumb/plain/https://a.example/b.jpg", "\"thumb\" stands where the signature belongs."),
        ("/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8=/w:8/plain/https://a.example/b.jpg", "salt"),
        ("/unsafe", "ends before its picture"),
    ])
    func `imgproxy's with keys begin with a signature`(target: String, words: String) throws {
        let message = try message(target, at: .imgproxy, Self.imgproxy)
        #expect(message.contains(words), "\(message)")
        #expect(!message.contains("secret") && !message.contains("736563"))
    }

    @Test func `a sig is left away where there are no keys, and added where it is wanted`() throws {
        let query = "?url=https://a.example/b.jpg"
        for name in [DialectName.native, .weserv] {
            #expect(try message(query + "&sig=x", at: name).contains("Leave sig out"))
            // Like a shared access signature of Azure.
            #expect(try message(query + "?sv=1&sig=x", at: name).contains("write the & before it as %26"))
            #expect(try !message(query + "&sig=x", at: name).contains("%26"))
            let signed = { (settings: inout Settings) in
                settings.signatures.keys = Secrets(settingText: Self.key) ?? .none
            }
            #expect(try message(query, at: name, required: [name.rawValue], signed).contains("Add sig"))
            #expect(try message(query + "&sig=x&sig=y", at: name, signed).contains("more than one sig"))
            #expect(try message(query + "&sig=x", at: name, signed).contains("another key"))
        }
        let presets = try message(query, at: .native, required: ["native"]) {
            $0.signatures.keys = Secrets(settingText: Self.key) ?? .none
            $0.options.presets = ["thumb=w=200"]
            $0.signatures.freePresets = ["thumb"]
        }
        #expect(presets.contains("one preset of signatures.free-presets"))
    }

    @Test func `a URL whose time is over tells when it was`() throws {
        #expect(
            try message("?url=https://a.example/b.jpg&exp=900", at: .native).contains(
                "until 900, 1970-01-01T00:15:00Z"))
    }
}
