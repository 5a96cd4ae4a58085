// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@Suite("Content-Range says which part of what")
struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-0/1", 0, 0, 1, 1), (" Bytes 2-5/9 ", 2, 5, 9, 4), ("bytes 8-8/9", 8, 8, 9, 1),
        ("BYTES 0-999/1000", 0, 999, 1000, 1000),
    ])
    func `a range is read as it is written`(text: String, first: Int, last: Int, total: Int, count: Int)
        throws
    {
        let range = try #require(ContentRange(text))
        #expect(range.first == first)
        #expect(range.last == last)
        #expect(range.total == total)
        #expect(range.count == count)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-0", "bytes 5-4/9", "bytes 0-9/9", "bytes 9-9/9", "bytes 0-10/9", "bytes 0-/9",
        "bytes -1/9", "bytes 0-1/9 x", "bytes=0-1/9", "bytes  0-1/9", "bytes 0-1/*", "bytes */9",
        "bytes 0-1/9, bytes 2-3/9", "bytes 0-99999999999999999999/99999999999999999999", "items 0-1/9",
    ])
    func `nothing else is one`(text: String) { #expect(ContentRange(text) == nil) }
}
