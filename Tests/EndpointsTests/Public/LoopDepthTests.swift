// SPDX-License-Identifier: Apache-2.0

import Endpoints
import SourceURLs
import Testing

@Suite("Requests that origins send back for other sources are nested only so deep")
struct LoopDepthTests {
    private static func source(_ number: Int, of host: String = "a.example") throws -> SourceURL {
        try SourceURL.parse("https://\(host)/\(number)")
    }

    private let depths = LoopDepths()

    private func enter(_ number: Int, behind former: Int...) throws -> Bool {
        depths.enter(
            try Self.source(number), behind: try former.map { LoopMark.text(for: try Self.source($0)) })
    }

    @Test func `a chain of other sources ends, and begins anew once it is over`() throws {
        for _ in 0..<2 {
            for number in 1...LoopDepths.limit { #expect(try enter(number, behind: number - 1)) }
            #expect(try !enter(LoopDepths.limit + 1, behind: LoopDepths.limit))
            for number in 1...LoopDepths.limit { depths.leave(try Self.source(number)) }
        }
    }

    @Test func `the deepest mark counts, and those that nobody knows count as one`() throws {
        #expect(try enter(1, behind: 0))
        #expect(try enter(2, behind: 7, 1))
        #expect(try enter(3, behind: 2, 0))
        #expect(try !enter(4, behind: 0, 3))
        #expect(try enter(5, behind: 9))
    }

    @Test func `another host's chain counts for nothing, so nobody can end a chain of others`() throws {
        for number in 1...LoopDepths.limit { #expect(try enter(number, behind: number - 1)) }
        let last = LoopMark.text(for: try Self.source(LoopDepths.limit))
        let other = try Self.source(0, of: "b.example")
        #expect(depths.enter(other, behind: [last]))
        for number in 1..<LoopDepths.limit {
            let former = try Self.source(number - 1, of: "b.example")
            let next = try Self.source(number, of: "b.example")
            #expect(depths.enter(next, behind: [last, LoopMark.text(for: former)]))
        }
    }

    /// Each fetch carries its own mark only.
    @Test func `a chain over two hosts ends as well`() throws {
        let chain = try (0..<2 * LoopDepths.limit + 1).map { number in
            try Self.source(number, of: number % 2 == 0 ? "a.example" : "b.example")
        }
        for (number, source) in chain.enumerated() {
            let former = number > 0 ? [LoopMark.text(for: chain[number - 1])] : ["pictor-0"]
            #expect(depths.enter(source, behind: former) == (number < 2 * LoopDepths.limit), "\(number)")
        }
    }

    @Test func `a source that two ask for is as deep as the deeper one, until both have left`() throws {
        #expect(try enter(1, behind: 0) && enter(2, behind: 1))
        #expect(try enter(5, behind: 0) && enter(5, behind: 2))
        depths.leave(try Self.source(5))
        #expect(try !enter(6, behind: 5))
        depths.leave(try Self.source(5))
        #expect(try enter(6, behind: 5))
    }
}
