// SPDX-License-Identifier: Apache-2.0

import HTTP1
import RandomInputs
import Testing

@Suite("A host is read as RFC 3986 §3.2 has it, in its field and in a target")
struct AuthorityTests {
    /// `uri-host [ ":" port ]`, read from the right: what stands behind the last colon outside of brackets is a port.
    private func isAuthority(_ text: String) -> Bool {
        var host = text[...]
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            let digits = text[colon...].dropFirst()
            guard digits.count <= 5, digits.allSatisfy({ "0123456789".contains($0) }) else { return false }
            guard (Int(digits) ?? 0) <= 65_535 else { return false }
            host = text[..<colon]
        }
        if host.first == "[" {
            guard host.last == "]", host.count > 3 else { return false }
            return host.dropFirst().dropLast().allSatisfy { "0123456789abcdefABCDEF:.".contains($0) }
        }
        return isName(host)
    }

    /// A registered name without an empty label, except for the root's.
    private func isName(_ host: Substring) -> Bool {
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        if labels == [""] { return host.isEmpty }
        return labels.allSatisfy { label in
            let pieces = label.split(separator: "%", omittingEmptySubsequences: false)
            let escapes = pieces.dropFirst().allSatisfy { piece in
                piece.count >= 2 && piece.prefix(2).allSatisfy { $0.isASCII && $0.isHexDigit }
            }
            return !label.isEmpty && escapes
                && label.allSatisfy {
                    $0.isASCII && ($0.isLetter || $0.isNumber || "-_~!$&'()*+,;=%".contains($0))
                }
        }
    }

    private func found(host: String) -> Reading.Found? {
        Reading("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").found
    }

    @Test(arguments: [
        "[g::1]", "[x]", "[/::1]", "[-1]", "[%31::1]", "[]:80", "[:]", "[1]", "[[::1]", "[::1]]", "[::1]:-1",
        "[::1]:1]", "[::1].", "a]", "a[", "[", "]", "[:",
    ])
    func `a literal holds the letters of an address from its first to its last`(host: String) {
        #expect(found(host: host) == nil)
    }

    @Test func `what the field takes is what a simple reading of the grammar takes`() {
        var random = SeededRandom(for: "Authority")
        let seed = random.seed
        let pieces = [
            "a", "b9", "-", ".", ".", ":", ":80", ":65535", ":65536", "[", "]", "[::1]", "%", "%4", "%41",
            "~", "é",
            "@", "/", "g",
        ]
        var taken = 0
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...5, using: &random)
            let host = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let isTaken = found(host: host) != nil
            taken += isTaken ? 1 : 0
            #expect(isTaken == isAuthority(host), "seed \(seed): \(host)")
        }
        #expect(taken > 500)
    }

    // MARK: In a target

    @Test func `the absolute form takes the same hosts, but no empty one`() {
        for host in [
            "h", "h:80", "h:", "[::1]", "[::1]:80", "a.", "%41", "", ":80", ":", "a..b", "[g]", "a@b",
            "h:65536",
        ] {
            let found = Reading("GET http://\(host)/x?y HTTP/1.1\r\nHost: other\r\n\r\n").found
            let isTaken = isAuthority(host) && !host.isEmpty && host.first != ":"
            #expect((found != nil) == isTaken, "\(host)")
            guard let found else { continue }
            #expect((found.authority, found.target) == (host, "/x?y"))
        }
    }

    @Test(arguments: [
        ("http://h", "h", "/"), ("http://h/", "h", "/"), ("HTTPS://h:1/?", "h:1", "/?"),
        ("hTTp://h//", "h", "//"),
        ("http://h/http://i/", "h", "/http://i/"),
    ])
    func `a target with a host is cut where its path begins`(target: String, host: String, path: String) {
        let found = Reading("GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n").found
        #expect(found?.authority == host)
        #expect(found?.target == path)
    }

    @Test(arguments: [
        "http:/h", "http:h", "http//h", "ftp://h/", "ws://h/", "http", "http://", "https://", "http://?",
        "http://h?x",
        "h", "h:80", "?", "*x", "**", "*",
    ])
    func `what begins with neither a slash nor a scheme is no target`(target: String) {
        #expect(Reading("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == .refused(.badTarget))
    }

    // MARK: Where it stands

    @Test func `an empty run begins and ends at the start, and has no bytes`() {
        let run = ByteRun()
        #expect((run.start, run.count, run.end) == (0, 0, 0))
        #expect([UInt8]().withUnsafeBytes { run.slice(of: $0).isEmpty })
    }
}
