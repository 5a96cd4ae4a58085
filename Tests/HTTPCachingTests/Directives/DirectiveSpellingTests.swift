// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import RandomInputs
import Testing

@Suite("Directives mean the same in any order, case and form of their arguments (RFC 9111 §5.2)")
struct DirectiveSpellingTests {
    /// Each directive with its flag.
    private static let flags: [(String, CacheControl.Flags)] = [
        ("no-store", .noStore), ("no-cache", .noCache), ("private", .isPrivate), ("public", .isPublic),
        ("must-revalidate", .mustRevalidate), ("proxy-revalidate", .proxyRevalidate),
        ("must-understand", .mustUnderstand), ("immutable", .immutable),
    ]
    private static let numbers: [(String, any WritableKeyPath<CacheControl, Int32?> & Sendable)] = [
        ("max-age", \.maxAge), ("s-maxage", \.sharedMaxAge),
        ("stale-while-revalidate", \.staleWhileRevalidate),
        ("stale-if-error", \.staleIfError),
    ]

    @Test func `each directive says its own thing and nothing else`() {
        for (name, flag) in Self.flags {
            var expected = CacheControl()
            expected.flags = flag
            #expect(CacheControl(name) == expected, "\(name)")
            #expect(CacheControl(name.uppercased()) == expected, "\(name)")
            for other in [
                name + "x", "x" + name, name.replacing("-", with: "_") + "_", "\"\(name)\"", "x=\(name)",
            ] {
                #expect(CacheControl(other) == CacheControl(), "\(other)")
            }
        }
        for (name, field) in Self.numbers {
            var expected = CacheControl()
            expected[keyPath: field] = 60
            for text in ["\(name)=60", "\(name)=\"60\"", "\(name.uppercased())=060", " ,\(name)=60 , "] {
                #expect(CacheControl(text) == expected, "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("2147483646", 2_147_483_646), ("2147483647", .max), ("2147483648", .max),
            ("99999999999999999999", .max), ("", 0), ("-1", 0), ("+1", 0), ("1.0", 0), ("1s", 0), ("0x1", 0),
            ("\" 1\"", 0),
            ("\"1", 0), ("1 2", 0), ("'1'", 0),
        ] as [(String, Int32)])
    func `a number that cannot be read is nought, and one that is too great the greatest`(
        text: String, seconds: Int32
    ) {
        for (name, field) in Self.numbers {
            #expect(CacheControl("\(name)=\(text)")[keyPath: field] == seconds, "\(name)")
            // The first of two counts, even if it is unreadable.
            guard !text.hasPrefix("\"1") else { continue }
            #expect(CacheControl("\(name)=\(text), \(name)=5")[keyPath: field] == seconds, "\(name)")
        }
    }

    @Test func `any directives in any order are all of them`() {
        var random = SeededRandom(for: "DirectiveSpelling")
        for _ in 0..<5_000 {
            var expected = CacheControl()
            var parts: [String] = []
            for (name, flag) in Self.flags where Bool.random(using: &random) {
                expected.flags.insert(flag)
                parts.append(name)
            }
            for (name, field) in Self.numbers where Bool.random(using: &random) {
                let seconds = Int32.random(in: 0...Int32.max, using: &random)
                expected[keyPath: field] = seconds
                parts.append(Bool.random(using: &random) ? "\(name)=\(seconds)" : "\(name)=\"\(seconds)\"")
            }
            for name in ["Set-Cookie", "x-a"] where Bool.random(using: &random) {
                expected.withheldFields.insert(name.lowercased())
                parts.append("no-cache=\"\(name)\"")
            }
            if Bool.random(using: &random) { parts.append("x=\"no-store, max-age=1\"") }
            parts.shuffle(using: &random)
            let separators = [",", ", ", " ,\t", ",,"]
            let text = parts.reduce("") { text, part in
                let part = Bool.random(using: &random) ? part : part.uppercased()
                return text.isEmpty ? part : text + (separators.randomElement(using: &random) ?? ",") + part
            }
            #expect(CacheControl(text) == expected, "seed \(random.seed): \(text)")
        }
    }
}
