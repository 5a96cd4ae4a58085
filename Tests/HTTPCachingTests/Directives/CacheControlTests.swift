// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import RandomInputs
import Testing

struct CacheControlTests {
    @Test(
        arguments: [
            ("", nil), ("public", nil), ("max-age=0", 0), ("max-age=3600", 3600), ("max-age=003600", 3600),
            ("MAX-AGE=5", 5),
            ("Max-Age=\"5\"", 5), ("max-age=2147483647", .max), ("max-age=2147483648", .max),
            ("max-age=99999999999", .max),
            ("max-age=99999999999999999999999999999999", .max), ("foobar, max-age=3600", 3600),
            ("max-age=3600, foobar", 3600),
            ("foo=bar, max-age=3600", 3600), ("foo=\"bar, max-age=1\", max-age=3600", 3600),
            ("extension=\"max-age=3600\", max-age=1", 1),
            ("max-age=1, extension=\"max-age=3600\"", 1), ("  max-age=7  ", 7), (",,max-age=7,,", 7),
            ("max-age=7,,, public", 7),
            ("\tmax-age=7\t,public", 7), ("x=\"\\\",max-age=1\", max-age=2", 2), ("xmax-age=1", nil),
            ("max-agex=1", nil),
            ("max-age=1, max-age=1800", 1), ("max-age=1800, max-age=1", 1800), ("max-age=x, max-age=5", 0),
            ("max-age=5, max-age=x", 5),
        ] as [(String, Int32?)])
    func `max-age is read, and the first one counts`(text: String, seconds: Int32?) {
        #expect(CacheControl(text).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-1", "max-age=-3600", "max-age=+1", "max-age=3600.0",
        "max-age=3600.5", "max-age=3600a",
        "max-age=a", "max-age='3600'", "max-age =3600", "max-age= 3600", "max-age = 3600", "max-age=36 00",
        "max-age=3600 no-store",
        "max-age=\"\"", "max-age=\"-1\"", "max-age=\" 3600\"", "max-age=\"3600", "max-age=\"36\"00",
        "max-age=1e3", "max-age=0x10",
        "max-age:3600, max-age=x", "max-age==3600", "max-age=3600;x", "max-age=\u{0663}",
    ])
    func `a duration that cannot be read is stale`(text: String) {
        #expect(CacheControl(text).maxAge == 0)
    }

    @Test(
        arguments: [
            ("no-store", .noStore), ("No-Store", .noStore), ("no-store=1", .noStore),
            ("no-store =x", .noStore), ("no-cache", .noCache),
            ("No-CaChE", .noCache), ("max-age=10000, no-cache", .noCache), ("private", .isPrivate),
            ("public", .isPublic),
            ("must-revalidate", .mustRevalidate), ("proxy-revalidate", .proxyRevalidate),
            ("must-understand", .mustUnderstand),
            ("must-understand=1", []), ("immutable", .immutable), ("immutable=0", .immutable),
            ("no-store,no-cache", [.noStore, .noCache]),
            ("no-store no-cache", [.noStore, .noCache]), ("no-stores", []), ("x-no-store", []),
            ("\"no-store\"", []),
            ("x=\"no-store\"", []),
            ("x=no-store", []), ("no-transform", []), ("public, private", [.isPublic, .isPrivate]),
            ("@, no-store", .noStore),
            ("=, no-store", .noStore), ("=x, no-store", .noStore), ("x=, no-store", .noStore),
            (";no-store", .noStore), ("public; no-store", [.isPublic, .noStore]),
            ("max-age=600;private;x", .isPrivate), ("a b=no-cache, public", [.noCache, .isPublic]),
            ("a \"no-store\" b", []), ("max-age=60; no-storage", []), ("a b, no-store", .noStore),
            ("a b c, no-store", .noStore), ("no-store, x=\"", .noStore),
            ("x=\"unclosed, no-store", .noStore), ("x=\"unclosed, public, \\private", .isPrivate),
            ("x=\"closed, no-store\"; y", []), ("x=\"\u{E9}\", no-store", .noStore),
        ] as [(String, CacheControl.Flags)])
    func `flags are read`(text: String, flags: CacheControl.Flags) {
        #expect(CacheControl(text).flags == flags)
    }

    @Test(
        arguments: [
            ("no-cache=\"Set-Cookie\"", [], ["set-cookie"]), ("no-cache=\"a, B\"", [], ["a", "b"]),
            ("no-cache=Foo", [], ["foo"]),
            ("private=\"x-a\"", [], ["x-a"]), ("private=\"a\", no-cache=\"b\"", [], ["a", "b"]),
            ("no-cache=\"a\", no-cache", .noCache, ["a"]), ("no-cache=\"\"", .noCache, []),
            ("private=\" , \"", .isPrivate, []),
            ("no-cache=\"a b\"", .noCache, []), ("private=\"a;b\"", .isPrivate, []),
            ("private=\"a", .isPrivate, []),
            ("private=", .isPrivate, []), ("no-cache=\"a\"x", .noCache, []),
            ("no-cache=,max-age=1", .noCache, []),
        ] as [(String, CacheControl.Flags, Set<String>)])
    func `a readable list of fields narrows no-cache and private, a broken one does not`(
        text: String, flags: CacheControl.Flags, withheld: Set<String>
    ) {
        #expect(CacheControl(text).flags == flags)
        #expect(CacheControl(text).withheldFields == withheld)
    }

    @Test func `all durations are read side by side`() {
        let control = CacheControl("max-age=1, s-maxage=2, stale-while-revalidate=3, stale-if-error=4")
        #expect(control.maxAge == 1 && control.sharedMaxAge == 2)
        #expect(control.staleWhileRevalidate == 3 && control.staleIfError == 4)
        let broken = CacheControl("s-maxage=x, stale-while-revalidate=-1, stale-if-error")
        #expect(broken.maxAge == nil && broken.sharedMaxAge == 0)
        #expect(broken.staleWhileRevalidate == 0 && broken.staleIfError == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `open quotes, however many, are read in one pass`() {
        // One pass for each quote would take a quarter of an hour.
        let text = "max-age=1;" + String(repeating: "\"\\", count: 1 << 20) + ",no-store"
        #expect(CacheControl(text).flags.contains(.noStore))
    }

    @Test func `no text makes the parser trap`() {
        var random = SeededRandom(for: "cache control")
        let pieces = [
            "max-age", "no-store", "private", "no-cache", "=", "\"", ",", ", ", " ", "\\", "3600", "-1", "\t",
            "é", "\u{0}", "x", ";",
        ]
        for _ in 0..<50_000 { _ = CacheControl(random.text(of: pieces, limit: 14)) }
    }

    @Test func `what is told to clients is read back as it was meant`() {
        var random = SeededRandom(for: "CacheControl")
        for _ in 0..<5_000 {
            let maxAge = Int.random(in: 0...Int(Int32.max), using: &random)
            let stale = Int.random(in: 0...9, using: &random)
            let must = Bool.random(using: &random)
            let isPrivate = Bool.random(using: &random)
            let written = ClientDirectives.CacheControl.keep(
                maxAge: maxAge, staleWhileRevalidate: stale, mustRevalidate: must, isPrivate: isPrivate)
            let read = CacheControl(written.text)
            #expect(read.maxAge == Int32(maxAge), "seed \(random.seed)")
            #expect(read.staleWhileRevalidate == (stale > 0 ? Int32(stale) : nil))
            #expect(read.flags.contains(.mustRevalidate) == must)
            #expect(
                read.flags.contains(.isPrivate) == isPrivate && read.flags.contains(.isPublic) != isPrivate)
        }
    }
}
