// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Bytes
import ImageHeaders
import Kernel
import Pipeline
import Recipes
import Testing

@Suite("Renditions in memory, by key") struct RenditionBodyTests {
    private let bodies = WeakTable<RenditionKey, RenditionBody>()

    private func insert(_ body: RenditionBody) { bodies.insert(body, for: body.rendition.key) }

    private func make(_ number: Int) -> RenditionBody {
        let digest = Digest(words: (UInt64(number), 1, 2, 3))
        let rendition = Rendition(
            key: RenditionKey(digest), format: .webp, width: 1, height: 1, pages: 1, length: 0)
        return RenditionBody(rendition: rendition, body: .bytes(ImmutableBytes([])))
    }

    @Test func `are found for as long as an answer holds them`() {
        var held = (0..<5_000).map(make)
        for body in held { insert(body) }
        #expect(held.allSatisfy { bodies.find($0.rendition.key) === $0 })
        let gone = held[2_500...].map(\.rendition.key)
        held.removeLast(2_500)
        #expect(held.allSatisfy { bodies.find($0.rendition.key) === $0 })
        #expect(gone.allSatisfy { bodies.find($0) == nil })
    }

    @Test func `leave few references behind, and share their locks with few others`() {
        let held = (0..<10_000).map(make)
        for body in held { insert(body) }
        for number in 10_000..<100_000 { insert(make(number)) }
        #expect(held.allSatisfy { bodies.find($0.rendition.key) === $0 })
        #expect(bodies.sizes.reduce(0, +) < 40_000)
        // No part holds a hundredth of 40,000 references.
        #expect(bodies.sizes.allSatisfy { $0 < 400 })
    }
}
