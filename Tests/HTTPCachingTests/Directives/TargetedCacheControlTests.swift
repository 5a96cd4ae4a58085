// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import RandomInputs
import Testing

struct TargetedCacheControlTests {
    @Test(
        arguments: [
            ("max-age=3600", 3600), ("max-age=0", 0), ("max-age=-5", 0), ("max-age=2147483648", .max),
            ("max-age=99999999999", .max),
            ("max-age=999999999999999", .max), ("  max-age=1 ", 1), ("max-age=1,no-cache", 1),
            ("max-age=1 ,\tno-cache", 1),
            ("max-age=1;a;b=2; c=\"x\"", 1), ("max-age=1, max-age=2", 2), ("max-age=1, foo=bar", 1),
            ("foo=1.5, max-age=1", 1),
            ("foo=:YWJj:, max-age=1", 1), ("foo=::, max-age=1", 1), ("foo=(1 2 \"x\";q=1);z, max-age=1", 1),
            ("foo=(), max-age=1", 1),
            ("foo=( a  b ), max-age=1", 1), ("foo=@1659578233, max-age=1", 1),
            ("foo=%\"f%c3%bc\", max-age=1", 1),
            ("*foo.bar_-*, max-age=1", 1), ("foo=?0, max-age=1", 1), ("foo=*a:b/c, max-age=1", 1),
            ("foo=\"a\\\"b\\\\\", max-age=1", 1),
        ] as [(String, Int32)])
    func `a dictionary of directives is read`(text: String, seconds: Int32) {
        #expect(CacheControl(targeted: text)?.maxAge == seconds)
    }

    @Test(arguments: [
        "", "   ", "MaX-aGe=3600", "max-age=\"10000\"", "max-age=3600.0", "max-age", "max-age=?1",
        "max-age=abc", "max-age=(1)",
        "max-age=", "max-age= 1", "max-age =1", "max-age=1,", "max-age=1, ", "max-age=1,,no-cache",
        ",max-age=1", "max-age=1 no-cache",
        "max-age=1;", "max-age=1;=2", "max-age=1;A", "max-age=1;a=", "max-age=1 ;a",
        "max-age=1000000000000000", "max-age=--1", "max-age=+1",
        "max-age=1, x=\"abc", "max-age=1, x=\"a\\b\"", "max-age=1, x=\"é\"", "max-age=1, x=:abc",
        "max-age=1, x=:a b:", "max-age=1, x=?2",
        "max-age=1, x=?", "max-age=1, x=(1", "max-age=1, x=(1 2", "max-age=1, x=(1,2)",
        "max-age=1, x=(\"a\"\"b\")", "max-age=1, x=1.",
        "max-age=1, x=1.1234", "max-age=1, x=1234567890123.1", "max-age=1, x=@1.5", "max-age=1, x=@",
        "max-age=1, x=%\"a",
        "max-age=1, x=!", "max-age=1, X", "max-age=1, 1x", "max-age=1, \"x\"", "stale-if-error=\"5\"", "@",
        "=",
    ])
    func `a field that is no such dictionary is ignored as a whole`(text: String) {
        #expect(CacheControl(targeted: text) == nil)
    }

    @Test(
        arguments: [
            ("no-store", .noStore), ("no-store=?1", .noStore), ("no-store=?0", []),
            ("no-store=?0, no-store", .noStore),
            ("no-cache", .noCache), ("no-cache=\"set-cookie\"", []), ("no-cache=\"\"", .noCache),
            ("no-cache=x", .noCache), ("private", .isPrivate),
            ("private=(a b)", .isPrivate), ("must-revalidate, immutable", [.mustRevalidate, .immutable]),
            ("must-understand", .mustUnderstand),
            ("must-understand=1", []), ("no-store=1", .noStore), ("unknown", []),
        ] as [(String, CacheControl.Flags)])
    func `flags are booleans`(text: String, flags: CacheControl.Flags) {
        #expect(CacheControl(targeted: text)?.flags == flags)
    }

    @Test func `a field of thousands of members is not read at all`() {
        func field(_ count: Int) -> String {
            "max-age=5," + (0..<count).map { "k\($0)" }.joined(separator: ",")
        }
        #expect(CacheControl(targeted: field(150))?.maxAge == 5)
        // The parser would compare each new member with all others.
        #expect(CacheControl(targeted: field(13_000)) == nil)
    }

    @Test func `no text makes the parser trap`() {
        var random = SeededRandom(for: "targeted cache control")
        let pieces = [
            "max-age", "a", "=", "\"", ",", " ", "(", ")", ";", ":", "?", "1", "@", "%", "*", ".", "-", "\\",
            "é", "\t", "no-store",
        ]
        for _ in 0..<50_000 { _ = CacheControl(targeted: random.text(of: pieces, limit: 16)) }
    }
}
