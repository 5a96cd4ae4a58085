// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Testing

@Suite("A date of the last change that is ahead")
struct DateAheadTests {
    private static let fields = [
        "Cache-Control": "max-age=1", "ETag": "\"1\"", "Last-Modified": "Sat, 06 Nov 2094 08:49:37 GMT",
    ]

    @Test func `is told as the time of arrival, however often the bytes are confirmed`() async throws {
        let node = NodeUnderTest()
        node.origin.says(.picture(NodeUnderTest.one, Self.fields))
        let first = try await node.pipeline.answer(node.request()).original.lastModified
        #expect(first == node.clock.now())
        node.origin.says(.notModified(Self.fields))
        for _ in 0..<2 {
            node.clock.advance(seconds: 10)
            let answer = try await node.pipeline.answer(node.request())
            #expect(answer.original.lastModified == first && answer.outcome != .memoryHit)
        }
        node.origin.says(.picture(TestBody(content: "two"), Self.fields))
        node.clock.advance(seconds: 10)
        #expect(try await node.pipeline.answer(node.request()).original.lastModified == node.clock.now())
    }

    @Test(arguments: [(60, true), (61, false), (3_600, false)])
    func `makes no condition, unless clocks may differ so much`(seconds: Int64, isSent: Bool) async throws {
        let node = NodeUnderTest()
        let date = HTTPDate.format(node.clock.now().adding(seconds: seconds))
        node.origin.says(.picture(NodeUnderTest.one, ["Cache-Control": "max-age=1", "Last-Modified": date]))
        try await node.answer()
        // The date has passed, but the origin may have changed the picture before.
        node.clock.advance(seconds: 7_200)
        try await node.answer()
        #expect(node.origin.requests.map(\.validators.lastModified) == [nil, isSent ? date : nil])
    }
}
