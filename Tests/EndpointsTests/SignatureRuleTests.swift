// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Dialects
import Endpoints
import HTTPSemantics
import RequestGrammar
@testable import Settings
@testable import Signatures
import Testing

private let first = "0123456789abcdef0123456789abcdef"
private let second = "fedcba9876543210fedcba9876543210"

private func rule(
    _ keys: String = first, required: Set<DialectName> = [.native], freePresets: Set<String> = []
) throws -> SignatureRule {
    let secrets = try #require(Secrets(settingText: keys))
    return SignatureRule(keys: SignatureKeys(secrets), required: required, freePresets: freePresets)
}

/// The query with its signature.
private func signed(_ query: String, by key: String = first, path: String = "/img") throws -> String {
    let secrets = try #require(Secrets(settingText: key))
    let keys = try #require(SignatureKeys(secrets))
    return "\(query)&sig=\(keys.signature(of: CanonicalQuery(query.utf8).material(path: path)))"
}

private func admit(
    _ query: String, _ rule: SignatureRule, at name: DialectName = .native, now: Timestamp
) throws -> SignatureRule.Admission {
    let dialect = try Dialects(Settings())[name]
    return try dialect.admit(RequestTarget(path: dialect.path, query: Array(query.utf8)), rule, now: now)
}

/// A word for the verdict.
private func verdict(
    _ query: String, _ rule: SignatureRule, at name: DialectName = .native, now: Int64 = 1000
) -> String {
    do {
        return try admit(query, rule, at: name, now: Timestamp(seconds: now)).ground.rawValue
    } catch let error as SignatureFailure {
        return ErrorResponse(error).code
    } catch {
        return "\(error)"
    }
}

@Suite("Who is let in by a signature")
struct SignatureRuleTests {
    private static let query = "w=200&url=https%3a//host/a+b.jpg&fit=cover"

    @Test func `the right one opens a dialect, whatever the order and the escapes`() throws {
        let signature = try signed(Self.query).suffix(43)
        for spelling in [
            "\(Self.query)&sig=\(signature)", "sig=\(signature)&fit=cover&url=https://host/a%2Bb.jpg&w=200",
            "&&%77=%32%30%30&sig=\(signature)%3D&url=https%3A%2F%2Fhost%2Fa%2bb.jpg&&fit=cover&",
        ] { #expect(verdict(spelling, try rule()) == "signed", "\(spelling)") }
    }

    @Test
    func `at an open dialect too it has to be right, and the end holds, however their names are spelled`()
        throws
    {
        let open = try rule(required: [])
        #expect(verdict(Self.query, open) == "open")
        for name in ["sig", "%73ig", "si%67"] {
            #expect(verdict("\(Self.query)&\(name)=a", open) == "signature_wrong")
        }
        for name in ["exp", "%65xp", "ex%70"] {
            #expect(verdict("\(Self.query)&\(name)=999", open) == "url_expired")
            #expect(verdict("\(Self.query)&\(name)=1001", open) == "open")
        }
    }

    @Test func `a missing one is told from a wrong one`() throws {
        let good = try signed(Self.query)
        let signature = String(good.suffix(43))
        let twisted = String(signature.dropLast()) + (signature.last == "A" ? "B" : "A")
        let wrong = [
            "", "=", "a", twisted, String(signature.dropLast()), signature + "A", signature + "==",
            String(signature.reversed()), signature.lowercased(), signature.uppercased(), "%00" + signature,
            signature + "%00", signature + "%20", "%E2%82%AC",
        ]
        #expect(verdict(Self.query, try rule()) == "signature_missing")
        for text in wrong {
            #expect(verdict("\(Self.query)&sig=\(text)", try rule()) == "signature_wrong", "\(text)")
        }
        #expect(verdict("\(Self.query)&sig", try rule()) == "signature_wrong")
        #expect(verdict("\(good)&sig=\(signature)", try rule()) == "signature_wrong", "twice")
        #expect(verdict("\(good)&SIG=x", try rule()) == "signature_wrong", "another parameter")
    }

    @Test(arguments: [
        "w=201&url=https://host/a%2Bb.jpg&fit=cover", "w=200&url=https://host/a%20b.jpg&fit=cover",
        "w=200&url=https://host/a%2Bb.jpg", "w=200&url=https://host/a%2Bb.jpg&fit=cover&h=1",
        "w=200&w=200&url=https://host/a%2Bb.jpg&fit=cover", "width=200&url=https://host/a%2Bb.jpg&fit=cover",
        "w=200&url=https://host/a%2Bb.jpg&fit=cover&exp=5000",
        "w=200&url=https://host/a%2Bb.jpg%00&fit=cover",
        "w=200&url=https://host/a%252Bb.jpg&fit=cover", "w=200&url=https://HOST/a%2Bb.jpg&fit=cover",
        "w=200&url=https://host/a%2Bb.jpg&fit=cover&we", "w=200&url=https://host/a%2Bb.jpg&fit=cover%26",
    ])
    func `nothing that is covered may change`(query: String) throws {
        let signature = try signed(Self.query).suffix(43)
        #expect(verdict("\(query)&sig=\(signature)", try rule()) == "signature_wrong")
    }

    @Test func `one dialect's is not another's`() throws {
        let every = try rule(required: Set(DialectName.allCases))
        let dialects = DialectName.allCases.filter { !$0.hasOwnKeys }
        for dialect in dialects {
            for other in dialects {
                let query = try signed(Self.query, path: Dialects(Settings())[other].path)
                #expect(
                    verdict(query, every, at: dialect) == (dialect == other ? "signed" : "signature_wrong"))
            }
        }
    }

    @Test func `a dialect that needs none still refuses a wrong one, and one where there is no key`() throws {
        let lax = try rule(required: [.next])
        #expect(verdict(Self.query, lax) == "open")
        #expect(verdict(try signed(Self.query), lax) == "signed")
        #expect(verdict("\(Self.query)&sig=x", lax) == "signature_wrong")
        #expect(verdict(Self.query, lax, at: .next) == "signature_missing")
        let keyless = SignatureRule(keys: nil, required: [], freePresets: [])
        #expect(verdict(Self.query, keyless) == "open")
        #expect(verdict(try signed(Self.query), keyless) == "signature_wrong")
    }

    @Test func `while keys change, the old and the new ones are good, and the first signs`() throws {
        let (old, new) = (try signed(Self.query, by: first), try signed(Self.query, by: second))
        let both = try rule("\(second),\n\(first)\n")
        #expect(verdict(old, both) == "signed" && verdict(new, both) == "signed")
        #expect(verdict(old, try rule(second)) == "signature_wrong")
        #expect(
            both.keys?.signature(of: CanonicalQuery(Self.query.utf8).material(path: "/img"))
                == String(new.suffix(43)))
    }

    @Test func `what was signed is what is read`() throws {
        let query = try signed("width=2&w=1&h=%zz")
        let admission = try admit(query, rule(), now: Timestamp(seconds: 0))
        #expect(String(decoding: admission.target.query ?? [], as: UTF8.self) == "h=%25zz&w=1&width=2")
    }
}

@Suite("A URL may end") struct ExpiryTests {
    @Test func `exp is the first second in which it is no longer good`() throws {
        let query = try signed("url=https://host/a.jpg&exp=1000")
        for (now, word) in [
            (0, "signed"), (999, "signed"), (1000, "url_expired"), (1_000_000, "url_expired"),
        ] {
            #expect(verdict(query, try rule(), now: Int64(now)) == word)
        }
        let late = Timestamp(milliseconds: 999_999)
        #expect(throws: Never.self) { try admit(query, rule(), now: late) }
    }

    @Test func `it holds without a signature as well, and behind a wrong one nobody learns of it`() throws {
        let open = try rule(required: [])
        #expect(verdict("url=a&exp=999", open) == "url_expired")
        #expect(verdict("url=a&exp=1001", open) == "open")
        #expect(verdict("url=a&exp=soon", open) == "bad_parameter")
        #expect(verdict("url=a&exp=999&sig=x", open) == "signature_wrong")
        #expect(verdict(try signed("url=a&exp=1e9"), open) == "bad_parameter")
        #expect(verdict(try signed("url=a&exp=2000&exp=1"), open) == "bad_parameter")
    }
}

@Suite("Presets that need no signature") struct FreePresetTests {
    @Test(arguments: [
        ("url=https://host/a.jpg&preset=thumb", "freePreset"), ("preset=thumb&url=a&exp=1001", "freePreset"),
        ("&%70reset=th%75mb&url=a&", "freePreset"), ("preset=thumb&url=a&exp=999", "url_expired"),
        ("preset=thumb&url=a&exp=1001&exp=1002", "bad_parameter"),
        ("url=a", "signature_missing"), ("preset=thumb", "signature_missing"),
        ("url=a&preset", "signature_missing"),
        ("url=a&preset=other", "signature_missing"), ("url=a&preset=Thumb", "signature_missing"),
        ("url=a&preset=", "signature_missing"), ("url=a&preset=thumb&w=10", "signature_missing"),
        ("url=a&preset=thumb&preset=thumb", "signature_missing"),
        ("url=a&preset=thumb&preset=other", "signature_missing"),
        ("url=a&url=b&preset=thumb", "signature_missing"),
        ("url=a&preset=thumb&default=1", "signature_missing"),
        ("url=a&preset=thumb&maxage=1y", "signature_missing"),
        ("url=a&preset=thumb&filename=b", "signature_missing"), ("url=a&preset=thumb&x", "signature_missing"),
        ("url=a&preset=thumb&priority=high", "signature_missing"),
        ("url=a&preset=thumb%00", "signature_missing"),
        ("url=a&preset=thumb&sig=x", "signature_wrong"),
    ])
    func `with url and preset alone`(query: String, word: String) throws {
        #expect(verdict(query, try rule(freePresets: ["thumb"])) == word)
    }

    @Test func `at the native dialect only, which knows presets`() throws {
        let strict = try rule(required: Set(DialectName.allCases), freePresets: ["thumb"])
        for dialect in [DialectName.weserv, .next] {
            #expect(verdict("url=a&preset=thumb", strict, at: dialect) == "signature_missing")
        }
    }

    @Test func `URLs in an answer are signed only where the question was`() throws {
        let rule = try rule(required: [.native], freePresets: ["thumb"])
        func extended(_ query: String) throws -> String {
            let now = Timestamp(seconds: 1000)
            let admission = try admit(query, rule, now: now)
            return rule.extend("url=a&w=320", of: admission, path: NativeDialect.path)
        }
        #expect(try extended("url=a&preset=thumb") == "url=a&w=320")
        #expect(try extended(try signed("url=a&w=1")) == signed("url=a&w=320"))
        #expect(try extended(try signed("url=a&w=1&exp=2000")) == signed("url=a&w=320&exp=2000"))
    }
}

@Suite("Options that need no signature") struct FreeOptionTests {
    private func free(presets: Set<String> = ["thumb"]) throws -> SignatureRule {
        var rule = try rule(freePresets: presets)
        rule.freeOptions = ["w", "output"]
        return rule
    }

    @Test(arguments: [
        ("url=a", "freeOptions"), ("url=a&w=1&output=webp", "freeOptions"), ("url=a&width=1", "freeOptions"),
        ("%77=1&url=a&exp=1001", "freeOptions"), ("url=a&preset=thumb&w=1", "freeOptions"),
        ("url=a&preset=thumb", "freePreset"), ("url=a&w=1&exp=999", "url_expired"),
        ("url=a&w=1&h=1", "signature_missing"), ("url=a&W=1", "signature_missing"),
        ("url=a&w=1&w=2", "signature_missing"), ("url=a&w=1&width=2", "signature_missing"),
        ("w=1", "signature_missing"), ("url=a&url=b", "signature_missing"),
        ("url=a&preset=other&w=1", "signature_missing"), ("url=a&w=1&default=1", "signature_missing"),
        ("url=a&w=1&x", "signature_missing"), ("url64=YQ&w=1", "signature_missing"),
        ("url=a&w=1&sig=x", "signature_wrong"),
    ])
    func `with url and no other option`(query: String, word: String) throws {
        #expect(verdict(query, try free()) == word)
    }

    @Test func `with them a preset is no freer than before, and other dialects have none`() throws {
        #expect(verdict("url=a&preset=thumb&w=1", try free(presets: [])) == "signature_missing")
        var strict = try rule(required: Set(DialectName.allCases))
        strict.freeOptions = ["w"]
        for dialect in [DialectName.weserv, .next] {
            #expect(verdict("url=a&w=1", strict, at: dialect) == "signature_missing")
        }
    }

    @Test func `the setting names options, by any of their names, and neither the source nor a preset`()
        throws
    {
        let environment = ["PICTOR_SIGNATURES_KEYS": first]
        func load(_ names: String) throws -> Set<String> {
            try SettingsLoader.load(
                flags: ["--signatures-free-options", names], environment: environment, file: nil
            ).signatureRule.freeOptions
        }
        #expect(try load("width, h,output") == ["w", "h", "output"])
        #expect(try load("[]").isEmpty)
        for names in ["url", "url64", "preset", "sig", "exp", "nothing", "w,W"] {
            #expect(throws: SettingsLoader.Mistakes.self, "\(names)") { try load(names) }
        }
    }
}

@Suite("The keys of signatures, as a setting") struct SecretsTests {
    @Test(arguments: [
        ("", 0), (first, 1), (" \(first)\n", 1), ("\(first),\(second)", 2), ("\(first)\n\(second)\n\n", 2),
        ("\(first) , \(second),", 2),
    ])
    func `they are separated by commas or lines`(text: String, count: Int) {
        #expect(Secrets(settingText: text)?.texts.count == count)
    }

    @Test(arguments: [
        "short", String(first.dropLast()), "\(first),short", "\(first)\"", String(repeating: "ü", count: 32),
    ])
    func `what is too short or hard to quote is refused`(text: String) {
        #expect(Secrets(settingText: text) == nil)
    }

    @Test func `no flag takes them, no mistake and no list shows them`() throws {
        let weak = "too-short-and-yet-secret"
        for environment in [["PICTOR_SIGNATURES_KEYS": weak], [:]] {
            let flags = environment.isEmpty ? ["--signatures-keys", first] : []
            let error = #expect(throws: SettingsLoader.Mistakes.self) {
                try SettingsLoader.load(flags: flags, environment: environment, file: nil)
            }
            #expect(error?.list.count == 1 && error?.description.contains(weak) == false)
            #expect(error?.description.contains(first) == false)
        }
        let settings = try SettingsLoader.load(
            flags: [], environment: ["PICTOR_SIGNATURES_KEYS": first], file: nil)
        let text = SettingsPrinter.yaml(settings)
        #expect(text.contains("# keys: set\n") && !text.contains(first))
        #expect(!SettingsPrinter.help().contains("--signatures-keys <"))
    }

    @Test func `by default nothing is signed, and any page may show pictures`() throws {
        #expect(try Settings().refererRule?.hosts == nil)
        #expect(verdict("url=a", try Settings().signatureRule) == "open")
    }

    @Test func `all is every dialect, and an open one beside keys is remarked on`() throws {
        let keys = ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"]
        func settings(_ required: String, _ environment: [String: String]) throws -> Settings {
            try SettingsLoader.load(
                flags: ["--signatures-required", required], environment: environment, file: nil)
        }
        for required in ["all", "native, all", DialectName.list] {
            #expect(try settings(required, keys).signatureRule.required == Set(DialectName.allCases))
            #expect(try settings(required, keys).remarks.isEmpty)
        }
        let dialects = try Dialects(Settings())
        for required in [[], [.native], DialectName.allCases.filter { $0 != .native }] {
            let names = required.isEmpty ? "[]" : required.map(\.rawValue).joined(separator: ",")
            let remarks = try settings(names, keys).remarks
            let open = dialects.list { !required.contains($0.name) }
            #expect(remarks.count == 1 && remarks[0].contains("URLs: \(open);"), "\(remarks)")
        }
        #expect(try settings("[]", [:]).remarks.isEmpty, "without keys nothing is meant to be signed")
    }

    @Test func `what cannot be used is named`() throws {
        for (flags, words) in [
            (["--signatures-required", "native"], "signatures.required: there is no key"),
            (["--signatures-free-presets", "thumb"], "no preset \"thumb\""),
            (["--signatures-keys-file", "/nowhere/keys"], "/nowhere/keys"),
            (["--referers-allow", "a b"], "referers.allow"),
            (["--referers-allow-absent", "false"], "referers.allow-absent"),
        ] {
            let settings = try SettingsLoader.load(flags: flags, environment: [:], file: nil)
            let error = #expect(throws: UnusableSetting.self) {
                _ = try settings.refererRule
                _ = try settings.signatureRule
            }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
        #expect(throws: SettingsLoader.Mistakes.self) {
            try SettingsLoader.load(flags: ["--signatures-required", "img"], environment: [:], file: nil)
        }
    }
}
