// SPDX-License-Identifier: Apache-2.0

@testable import Operator
import RandomInputs
import TestSupport
import Testing

@Suite("Lists, sitemaps and pages give the URLs of their pictures")
struct WarmListTests {
    private func urls(_ text: String, base: String? = nil) throws -> [String] {
        try WarmList(Array(text.utf8), base: base).urls
    }

    @Test func `a list has a URL on each line, each once`() throws {
        #expect(
            try urls("\u{FEFF}# c\r\nhttp://a/1 \r\n\r\n\thttp://a/2\nhttp://a/1") == [
                "http://a/1", "http://a/2",
            ])
        #expect(try urls("") == [])
    }

    @Test(arguments: [
        ("<img src=a.png>", ["https://h/d/a.png"]), ("<IMG SRC = '/a.png' SRC=b>", ["https://h/a.png"]),
        ("<img src=\"a.png?x=1&amp;y=&#50;&#x33;&quot;\"/>", ["https://h/d/a.png?x=1&y=23%22"]),
        ("<img src=//o/a.png>", ["https://o/a.png"]), ("<img src='data:image/png,x'><img src=''><img>", []),
        ("<source src=v.mp4 srcset='a.png 1x,b.png 2x'>", ["https://h/d/a.png", "https://h/d/b.png"]),
        ("<img data-src=a.png data-srcset='b.png 2x'>", ["https://h/d/a.png", "https://h/d/b.png"]),
        (
            "<link rel=preload as=image href=a.png imagesrcset='b.png 2x'><link href=c.png>",
            ["https://h/d/a.png", "https://h/d/b.png"]
        ),
        ("<base href='https://o/e/'><img src=a.png>", ["https://o/e/a.png"]),
        (
            "<!-- <img src=a.png> --><script><img src=b.png></script><style></b><img src=c></style><img src=d>",
            ["https://h/d/d"]
        ),
        ("<img src=a.png", ["https://h/d/a.png"]), ("<!-- <img src=a.png>", []),
        ("<img src='a.png>", ["https://h/d/a.png%3E"]),
        ("< img src=a.png><img =b src=c>", ["https://h/d/c"]),
    ])
    func `a page gives what its tags name`(page: String, expected: [String]) throws {
        #expect(try urls("<p>" + page, base: "https://h/d/p.html") == expected)
    }

    @Test func `a list that is too long is refused, compressed or not`() {
        let long = [UInt8](repeating: 0x0A, count: WarmList.longest + 1)
        #expect(throws: WarmList.Mistake.tooLong(limit: WarmList.longest)) { try WarmList(long, base: nil) }
    }

    @Test func `without the page's URL, paths are Pictor's own, and others are left out`() throws {
        let list = try WarmList(
            Array("<img src=/img?url=a><img src=b><img src=//c/d><img src=http://e/f>".utf8), base: nil)
        #expect(list.urls == ["/img?url=a", "http://e/f"] && list.relative == 2)
    }

    @Test(arguments: [
        ("a 1x, b 2x", ["a", "b"]), ("a,b 2x,c", ["a,b", "c"]), ("a, b", ["a", "b"]), (" ,, a ,", ["a"]),
        ("", []),
        ("a (1x, 2x), b", ["a", "b"]), ("a,,, b", ["a", "b"]),
        ("a?w=1,2 100w,\n b?w=3,4 200w", ["a?w=1,2", "b?w=3,4"]),
    ])
    func `a srcset is cut as HTML says`(text: String, expected: [String]) {
        #expect(WarmList.candidates(text) == expected)
    }

    @Test func `a sitemap gives image:loc, and says so where it has none`() throws {
        let head = "<?xml version='1.0'?><!-- c --><urlset>"
        #expect(
            try urls(head + "<url><loc>p</loc><image:loc> http://a/&amp;<!-- c -->1 </image:loc></url>")
                == ["http://a/&1"])
        #expect(throws: WarmList.Mistake.noPictures(of: 2)) { try urls(head + "<loc>a</loc><loc>b</loc>") }
        #expect(throws: WarmList.Mistake.index) { try urls("<sitemapindex>") }
    }

    private static let list = Array("http://a/1\nhttp://a/2\n".utf8)

    @Test func `what gzip has compressed is read, also of several members and with more behind`() throws {
        let packed = Compression.compress(Self.list, as: .gzip)
        #expect(try WarmList(packed, base: nil).urls == ["http://a/1", "http://a/2"])
        let more = Compression.compress(Array("http://a/3".utf8), as: .gzip)
        #expect(
            try WarmList(packed + more + [0, 0, 0], base: nil).urls == [
                "http://a/1", "http://a/2", "http://a/3",
            ])
        let sitemap = Compression.compress(
            Array("<urlset><url><image:loc>http://a/4</image:loc></url></urlset>".utf8), as: .gzip)
        #expect(try WarmList(sitemap, base: nil).urls == ["http://a/4"])
        // Larger than one piece, both compressed and decompressed.
        var random = SeededRandom(for: "WarmListTests.gzip")
        let lines = (0..<60_000).map { _ in "http://a/\(UInt64.random(in: 0...UInt64.max, using: &random))" }
        let long = Compression.compress(Array(lines.joined(separator: "\n").utf8), as: .gzip)
        #expect(long.count > 2 * 256 << 10)
        #expect(try WarmList(long, base: nil).urls == lines)
    }

    @Test func `a compressed file that is cut off or damaged is a mistake, wherever it is`() {
        let packed = Compression.compress(Self.list, as: .gzip)
        for count in 2..<packed.count {
            #expect(throws: WarmList.Mistake.damaged) {
                try WarmList(Array(packed.prefix(count)), base: nil)
            }
        }
        // The checksum's first byte is the eighth from the end.
        var wrong = packed
        wrong[wrong.count - 8] ^= 1
        #expect(throws: WarmList.Mistake.damaged) { try WarmList(wrong, base: nil) }
        #expect(throws: WarmList.Mistake.compressedTwice) {
            try WarmList(Compression.compress(packed, as: .gzip), base: nil)
        }
    }

    @Test func `what swells beyond the limit is refused before it is unpacked`() throws {
        let bomb = Compression.compress([UInt8](repeating: 0x20, count: 1 << 20), as: .gzip)
        #expect(try GzipList.decompressed(bomb, limit: 1 << 20).count == 1 << 20)
        #expect(throws: WarmList.Mistake.tooLong(limit: (1 << 20) - 1)) {
            try GzipList.decompressed(bomb, limit: (1 << 20) - 1)
        }
        // The limit applies to all members together.
        #expect(throws: WarmList.Mistake.tooLong(limit: 3 << 19)) {
            try GzipList.decompressed(bomb + bomb, limit: 3 << 19)
        }
    }

    @Test func `whatever is compressed or broken in it, unpacking ends`() {
        var random = SeededRandom(for: "WarmListTests.broken")
        for _ in 0..<500 {
            var packed = Compression.compress(
                random.bytes(Int.random(in: 0..<2_000, using: &random)), as: .gzip)
            for _ in 0..<Int.random(in: 1..<5, using: &random) {
                packed[Int.random(in: 2..<packed.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = try? GzipList.decompressed(packed, limit: 1 << 20)
        }
    }

    @Test func `whatever is in it, reading ends, and takes each byte once`() {
        var random = SeededRandom(for: "WarmListTests")
        let words = [
            "<", ">", "<img ", "src", "=", "'", "\"", "<!--", "-->", "<![CDATA[", "]]>", "</", "<script>",
            "/", "&", "&amp;", "&#x", ";", " ",
            "\0", "\u{FFFF}", "srcset", ",", "(", "urlset", "image:loc",
        ]
        for _ in 0..<2_000 {
            var bytes = Array("<".utf8)
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                bytes += words.randomElement(using: &random).map { Array($0.utf8) } ?? []
                if Bool.random(using: &random) { bytes.append(.random(in: 0...255, using: &random)) }
            }
            var (scanner, tokens) = (MarkupScanner(bytes), 0)
            while scanner.next() != nil { tokens += 1 }
            #expect(tokens <= bytes.count, "\(bytes)")
            _ = try? WarmList(bytes, base: "https://h/")
        }
    }
}
