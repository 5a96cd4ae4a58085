// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import SourceURLs
import TestSupport
import Testing

@Suite("Where signatures are required of all dialects, none of them is a way round", .endToEnd)
struct SignedEverywhereTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private static let enabled = ["cloudflare", "imgproxy", "thumbor", "imagor"].flatMap {
        ["--\($0)-enabled", "true"]
    }

    private static let keys = [
        "PICTOR_SIGNATURES_KEYS": String(repeating: "a", count: 40),
        "PICTOR_IMGPROXY_KEYS": "736563726574:68656c6c6f", "PICTOR_THUMBOR_KEYS": "my-security-key",
        "PICTOR_IMAGOR_KEYS": "my-security-key",
    ]

    /// One width of one source as JPEG of one quality, in the words of each dialect and without a signature.
    private var unsigned: [DialectName: String] {
        let source = origin.url("/a").absolute
        let query = DaemonUnderTest.target(source).dropFirst("/img".count)
        return [
            .native: "/img\(query)&w=32&output=jpg&q=75",
            .weserv: "/\(query)&w=32&we&output=jpg&q=75",
            .next: "/_next/image\(query)&w=32&q=75",
            .cloudflare: "/cdn-cgi/image/w=32,format=baseline-jpeg,q=75/\(source)",
            .imgproxy: "/_/w:32/q:75/plain/\(source)@jpg",
            .thumbor: "/thumbor/unsafe/fit-in/32x/filters:format(jpeg):quality(75)/\(source)",
            .imagor: "/imagor/unsafe/fit-in/32x0/filters:quality(75):format(jpg)/\(source)",
        ]
    }

    @Test func `the same picture unsigned is refused in each dialect, before the origin hears of it`() throws
    {
        #expect(Set(unsigned.keys) == Set(DialectName.allCases))
        let open = try DaemonUnderTest(Self.enabled)
        let closed = try DaemonUnderTest(
            Self.enabled + ["--signatures-required", "all"], environment: Self.keys)
        for (dialect, target) in unsigned {
            for method in ["GET", "HEAD"] {
                let reply = try closed.get(target, method: method)
                #expect([401, 403].contains(reply.status), "\(dialect): \(reply.status) \(reply.text)")
                #expect(reply["ETag"] == nil)
            }
        }
        #expect(origin.heads.isEmpty)
        for (dialect, target) in unsigned {
            #expect(try open.get(target).status == 200, "\(dialect) understands it")
            // What another daemon would answer makes no difference, nor does what this one holds.
            #expect([401, 403].contains(try closed.get(target).status), "\(dialect)")
        }
        #expect(origin.heads.count == 1, "only the open daemon asked")
    }

    @Test func `a signature of each dialect's own opens it, and is worth nothing in another one`() throws {
        let closed = try DaemonUnderTest(
            Self.enabled + ["--signatures-required", "all"], environment: Self.keys)
        var environment = Self.keys
        for name in ["CLOUDFLARE", "IMGPROXY", "THUMBOR", "IMAGOR"] {
            environment["PICTOR_\(name)_ENABLED"] = "true"
        }
        var queries: [String] = []
        for dialect in DialectName.allCases {
            let words =
                [.thumbor, .imagor].contains(dialect) ? ["fit-in/32x32"] : ["w=32", "q=75"]
            let made = try PictorCommand(
                ["url", "make", "--dialect", dialect.rawValue, origin.url("/a").absolute] + words,
                environment: environment)
            let target = try #require(made.lines.first, "\(dialect): \(made.error)")
            #expect(try closed.get(target).status == 200, "\(dialect): \(target)")
            if dialect == .native { queries.append(target) }
        }
        for target in queries {
            for path in ["/", "/_next/image"] {
                let moved = path + target.dropFirst("/img".count)
                #expect(try closed.get(moved).status == 403, "\(moved)")
            }
        }
    }
}
