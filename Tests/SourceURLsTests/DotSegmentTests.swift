// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import SourceURLs
import Testing

@Suite("Dot segments go as RFC 3986 §5.2.4 takes them away, step by step")
struct DotSegmentTests {
    /// The RFC's loop over an input and an output buffer, as worded there.
    private func reference(_ path: String) -> String {
        var (input, output) = (path, "")
        while !input.isEmpty {
            if input.hasPrefix("../") {
                input.removeFirst(3)  // A
            } else if input.hasPrefix("./") {
                input.removeFirst(2)
            } else if input.hasPrefix("/./") {
                input.removeFirst(2)  // B
            } else if input == "/." {
                input = "/"
            } else if input.hasPrefix("/../") {
                input.removeFirst(3)  // C
                output = String(output[..<(output.lastIndex(of: "/") ?? output.startIndex)])
            } else if input == "/.." {
                input = "/"
                output = String(output[..<(output.lastIndex(of: "/") ?? output.startIndex)])
            } else if input == "." || input == ".." {
                input = ""  // D
            } else {
                let segment = input.dropFirst().prefix { $0 != "/" }  // E
                output += input.prefix(1) + segment
                input = String(input.dropFirst(1 + segment.count))
            }
        }
        return output
    }

    private func target(_ path: String) throws -> String {
        try SourceURL.parse("http://a.example\(path)").target
    }

    /// RFC 3986 §5.2.4 and §5.4, in absolute paths.
    @Test(arguments: [
        ("/a/b/c/./../../g", "/a/g"), ("/b/c/./g", "/b/c/g"), ("/b/c/g/", "/b/c/g/"), ("/b/c/.", "/b/c/"),
        ("/b/c/./", "/b/c/"), ("/b/c/..", "/b/"), ("/b/c/../", "/b/"), ("/b/c/../g", "/b/g"),
        ("/b/c/../..", "/"),
        ("/b/c/../../", "/"), ("/b/c/../../g", "/g"), ("/b/c/../../../g", "/g"), ("/b/c/../../../../g", "/g"),
        ("/./g", "/g"), ("/../g", "/g"), ("/b/c/g.", "/b/c/g."), ("/b/c/.g", "/b/c/.g"),
        ("/b/c/g..", "/b/c/g.."),
        ("/b/c/..g", "/b/c/..g"), ("/b/c/./../g", "/b/g"), ("/b/c/./g/.", "/b/c/g/"),
        ("/b/c/g/./h", "/b/c/g/h"),
        ("/b/c/g/../h", "/b/c/h"), ("/b/c/g;x=1/./y", "/b/c/g;x=1/y"), ("/b/c/g;x=1/../y", "/b/c/y"),
    ])
    func `the RFC's examples`(path: String, expected: String) throws {
        #expect(reference(path) == expected)
        #expect(try target(path) == expected)
    }

    @Test func `any path is what the RFC's loop makes of it`() throws {
        var random = SeededRandom(for: "dot segments")
        let segments = ["", ".", "..", "...", "a", ".a", "a.", "..a", "b"]
        for _ in 0..<10_000 {
            let path = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                "/" + (segments.randomElement(using: &random) ?? "")
            }.joined()
            #expect(try target(path) == reference(path), "\(path)")
        }
    }

    @Test func `an escaped dot is a dot`() throws {
        var random = SeededRandom(for: "escaped dots")
        for _ in 0..<5_000 {
            let path = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                "/" + (["", ".", "..", "a"].randomElement(using: &random) ?? "")
            }.joined()
            let escaped = path.map { letter in
                letter != "." ? String(letter) : ["%2e", "%2E", "."].randomElement(using: &random) ?? ""
            }.joined()
            #expect(try target(escaped) == reference(path), "\(escaped)")
        }
    }

    @Test func `dots behind the question mark are no segments`() throws {
        for query in ["?/../a", "?.", "?a=./b/..", "?../%2E%2E/"] {
            #expect(try target("/x/y" + query) == "/x/y" + query)
            #expect(try target("/x/.." + query) == "/" + query)
        }
    }

    // MARK: Ports

    @Test func `a port is 1 to 65535, however many zeros stand before it`() throws {
        for (digits, port) in [
            ("1", 1), ("79", 79), ("80", 80), ("81", 81), ("443", 443), ("65534", 65_534), ("65535", 65_535),
            ("00000000065535", 65_535), ("01", 1),
        ] as [(String, UInt16)] {
            #expect(try SourceURL.parse("http://a.example:\(digits)/").port == port)
            #expect(try SourceURL.parse("//a.example:\(digits)").port == port)
            let absolute = try SourceURL.parse("https://a.example:\(digits)/").absolute
            #expect(absolute == "https://a.example\(port == 443 ? "" : ":\(port)")/")
        }
        for digits in [
            "0", "00", "65536", "065536", "70000", "99999", "4294967297", "18446744073709551617", "+1", "1 ",
        ] {
            #expect(throws: SourceURLError.self, "\(digits)") {
                try SourceURL.parse("http://a.example:\(digits)/")
            }
        }
    }

    @Test func `an origin is a scheme, a host and a port, and is told as people write it`() throws {
        for (text, expected) in [
            ("http://A.example/x?y", "http://a.example"), ("http://a.example:80/", "http://a.example"),
            ("https://a.example:80/", "https://a.example:80"), ("https://[::1]:8443/x", "https://[::1]:8443"),
            ("https://[0::0:1]/x", "https://[::1]"),
        ] {
            #expect(try SourceURL.parse(text).origin.description == expected)
        }
        let origins = try ["http://a/", "https://a/", "http://a:443/", "http://b/"].map {
            try SourceURL.parse($0).origin
        }
        #expect(Set(origins).count == 4)
        #expect(try SourceURL.parse("http://a:80/x").origin == SourceURL.parse("http://A/y?z").origin)
    }
}
