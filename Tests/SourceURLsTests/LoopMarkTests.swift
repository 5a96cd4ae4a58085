// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Testing

@Suite("A request to an origin has the mark of its URL")
struct LoopMarkTests {
    @Test func `a mark is known among those of others, and is of no other URL`() throws {
        let url = try SourceURL.parse("https://a.example/b.jpg?c")
        let mark = LoopMark.text(for: url)
        #expect(mark == LoopMark.text(for: try SourceURL.parse("https://A.example:443/b.jpg?c#d")))
        for value in [mark, "\(mark), cdn.example", "cdn.example;a=1,\(mark) ; b", "x,\t\(mark)"] {
            #expect(LoopMark.marks(in: value) == [mark], "\(value)")
        }
        for value in ["", "pictor", "\(mark)0", "x\(mark)", "cdn.example; \(mark)"] {
            #expect(!LoopMark.marks(in: value).contains(mark), "\(value)")
        }
        #expect(LoopMark.text(for: try SourceURL.parse("https://a.example/b.jpg")) != mark)
    }

    @Test func `a mark is a token of RFC 8586`() throws {
        for path in 0..<100 {
            let mark = LoopMark.text(for: try SourceURL.parse("https://a.example/\(path)"))
            #expect(mark.wholeMatch(of: #/pictor-[0-9a-f]{1,16}/#) != nil, "\(mark)")
        }
    }
}
