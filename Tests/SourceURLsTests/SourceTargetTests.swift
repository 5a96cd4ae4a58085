// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import SourceURLs
import Testing

@Suite struct SourceTargetTests {
    private func target(_ pathAndQuery: String) throws -> String {
        try SourceURL.parse("http://example.com\(pathAndQuery)").target
    }

    @Test(arguments: [
        // RFC 3986 §5.2.4 and §5.4.
        ("/a/b/c/./../../g", "/a/g"),
        ("/mid/content=5/../6", "/mid/6"),
        ("/././foo", "/foo"),
        ("/foo/.", "/foo/"),
        ("/foo/./", "/foo/"),
        ("/foo/bar/..", "/foo/"),
        ("/foo/bar/../", "/foo/"),
        ("/foo/../../..", "/"),
        ("/../../../etc/passwd", "/etc/passwd"),
        ("/foo/bar//..", "/foo/bar/"),
        ("/foo//bar", "/foo//bar"),
        ("/foo/..bar", "/foo/..bar"),
        ("/foo/...", "/foo/..."),
        ("/foo/%2e", "/foo/"),
        ("/foo/%2e./%2E%2e/.%2e/%2e.bar", "/%2E.bar"),
        ("/a/../b?c=/../d", "/b?c=/../d"),
        ("", "/"),
        ("/", "/"),
    ])
    func `dot segments are removed, escaped ones too`(text: String, expected: String) throws {
        #expect(try target(text) == expected)
    }

    @Test(arguments: [
        ("/你好", "/%E4%BD%A0%E5%A5%BD"),
        ("/my photo.jpg", "/my%20photo.jpg"),
        ("/\"<>^`{}", "/%22%3C%3E%5E%60%7B%7D"),
        ("/(%28:%3A%29)", "/(%28:%3A%29)"),
        ("/%3a%3c", "/%3A%3C"),
        ("/%41", "/%41"),
        ("/@asdf%40", "/@asdf%40"),
        ("/a+b,c;d=e!$&'()*|[]~", "/a+b,c;d=e!$&'()*|[]~"),
        ("?a=ü&b[]=1", "/?a=%C3%BC&b[]=1"),
        ("?'\" <>", "/?%27%22%20%3C%3E"),
        ("?a?b", "/?a?b"),
        ("?", "/?"),
    ])
    func `what may not stand in a target is escaped and escapes are kept`(text: String, expected: String)
        throws
    {
        #expect(try target(text) == expected)
    }

    @Test func `a byte that is escaped changes nothing before it`() throws {
        var random = SeededRandom(for: "targets")
        let bytes = (0x20...0x7E).map { Character(UnicodeScalar(UInt8($0))) }.filter {
            $0 != "#" && $0 != "\\"
        }
        let pieces = ["/", "/.", "/..", ".", "%2e", "%3f", "?", "é"] + bytes.map(String.init)
        let plain = ["/", "a", ".", "-", "b"]
        for _ in 0..<5_000 {
            let isPlain = Bool.random(using: &random)
            let count = Int.random(in: 0...12, using: &random)
            let text =
                "/"
                + (0..<count).map { _ in
                    (isPlain ? plain : pieces).randomElement(using: &random) ?? ""
                }.joined() + "?"
            // An apostrophe in a query is escaped.
            #expect(try target(text + "x'") == target(text + "x") + "%27", "\(text)")
        }
    }

    @Test(arguments: [
        ("/100%", "/100%25"), ("/100%.jpg", "/100%25.jpg"), ("/%2zbar", "/%252zbar"), ("?%", "/?%25"),
    ])
    func `a stray percent sign is escaped`(text: String, expected: String) throws {
        #expect(try target(text) == expected)
    }
}
