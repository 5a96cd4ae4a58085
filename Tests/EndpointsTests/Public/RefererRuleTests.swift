// SPDX-License-Identifier: Apache-2.0

import Clients
@testable import Endpoints
import HTTP1
import HTTPSemantics
import Origin
import Testing

@Suite("Whose pages may show our pictures")
struct RefererRuleTests {
    private func rule(allowsAbsent: Bool = true) throws -> RefererRule {
        let hosts = try ["example.org", "*.example.com", "::1", "127.0.0.1"].map {
            try #require(HostPattern($0))
        }
        return RefererRule(hosts: hosts, allowsAbsent: allowsAbsent)
    }

    /// The result of both functions, which must be equal except for repeated lines.
    private func allows(_ rule: RefererRule, _ lines: [(String, String)]) throws -> Bool {
        let slow = rule.allows(Fields(lines.map { .init($0.0, $0.1) }))
        let text = lines.map { "\($0.0): \($0.1)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\(text)\r\n".utf8)
        var parser = RequestParser(limits: ParserLimits())
        let quick = try bytes.withUnsafeBytes { buffer in
            _ = try parser.parse(buffer)
            return rule.surelyAllows(RequestView(head: parser.head, bytes: buffer, peer: .local))
        }
        #expect(quick == slow, "\(lines)")
        return slow
    }

    @Test(arguments: [
        ("https://example.org/page?x=1#y", true), ("http://example.org", true),
        ("HTTPS://EXAMPLE.ORG/", true),
        ("https://example.org:8443/", true), ("https://example.org./a", true),
        ("https://example.org?x", true),
        ("https://a.example.com/", true), ("https://a.b.EXAMPLE.com", true), ("http://[::1]:3000/", true),
        ("http://127.0.0.1:3000/", true), ("https://example.com/", false),
        ("https://www.example.org/", false),
        ("https://example.org.evil.test/", false), ("https://evilexample.com/", false),
        ("https://.example.com/", false),
        ("https://evil.test/https://example.org/", false), ("https://evil.test?https://example.org/", false),
        ("https://evil.test#@example.org/", false), ("https://example.org@evil.test/", false),
        ("https://evil.test@example.org/", false), ("https://evil.test\\.example.com.test/", false),
        ("android-app://example.org/", false), ("example.org", false), ("/page", false), ("https://", false),
        ("https:///example.org", false), ("https:example.org", false), ("//example.org/", false),
        ("https://[::1", false), ("https://:80/", false), ("https://example.org, https://evil.test", false),
        ("ftp://example.org/", false), ("x", false), ("::::", false),
    ])
    func `a page's host is on the list, or it is refused`(page: String, isAllowed: Bool) throws {
        for name in ["Referer", "Origin"] {
            #expect(try allows(try rule(), [(name, page)]) == isAllowed, "\(name): \(page)")
        }
    }

    @Test func `who says both has to be right with both`() throws {
        let (good, bad) = ("https://example.org", "https://evil.test")
        for (referer, origin, isAllowed) in [
            (good, good, true), (good, bad, false), (bad, good, false), (good, "null", true),
            (bad, "null", false),
        ] {
            #expect(try allows(try rule(), [("referer", referer), ("ORIGIN", origin)]) == isAllowed)
        }
        #expect(!(try rule().allows(Fields([.init("Referer", good), .init("Referer", good)]))))
    }

    @Test(arguments: [nil, "", "null", "about:blank"])
    func `who says nothing is let in, or is not`(value: String?) throws {
        let lines = value.map { [("Referer", $0)] } ?? []
        #expect(try allows(try rule(), lines))
        #expect(try !allows(try rule(allowsAbsent: false), lines))
        #expect(try allows(try rule(allowsAbsent: false), [("Origin", "https://example.org")]))
    }
}
