// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Bytes
import HTTPCaching
import HTTPSemantics
import HTTPServer
import ImageHeaders
import Kernel
@testable import Pipeline
import Recipes
import RequestGrammar
import SourceURLs
import Stores
import Testing

@Suite("The memory cache counts what its answers hold") struct AnswerCostTests {
    private let cache = AnswerCache(budget: 8 << 20, openFiles: 8)

    @discardableResult
    private func keep(_ target: String, tags: [String]) -> (Presentation, CachedAnswer?) {
        let source = SourceURL(scheme: .http, host: "origin.test", port: 80, target: target)
        let now = Timestamp(seconds: 1_700_000_000)
        let digest = Digest(words: (1, 2, 3, 4))
        let original = Original(
            key: source.bareKey, digest: OriginalDigest(digest), length: 9,
            header: ImageHeader(format: .jpeg, width: 4, height: 3), lastModified: now,
            freshness: Freshness(
                responseTime: now, initialAge: 0, lifetime: 60, staleWhileRevalidate: 0, staleIfError: 0,
                flags: []))
        let body = Body.bytes(ImmutableBytes([1, 2, 3]))
        let rendition = Rendition(
            key: RenditionKey(digest), format: .jpeg, width: 4, height: 3, pages: 1, length: body.length)
        let answer = Answer(
            rendition: rendition, body: body, original: original, outcome: .rendered, times: StageTimes(),
            variesByAccept: true, epoch: PurgeLog().epoch, tags: tags, isKept: true)
        let presentation = Presentation(
            answer, .picture, for: ImageRequest(source: source, recipe: Recipe()), policy: ClientPolicy(),
            now: now)
        let cached = cache.insert(
            presentation, for: Array(target.utf8), accept: [], at: .native, of: cache.epoch, isHeld: true)
        return (presentation, cached)
    }

    @Test func `a 304 is made of the whole answer's head as it is of its fields`() throws {
        let (presentation, cached) = keep("/a", tags: [])
        let fields = AnswerFields.ofNotModified(presentation.fields)
        #expect(fields.list.map(\.name) == ["ETag", "Last-Modified", "Cache-Control", "Vary"])
        let made = ReadyAnswer(status: 304, fields: fields, body: nil, tag: 0)
        let (full, notModified) = (try #require(cached).full, try #require(cached).notModified)
        #expect(notModified.status == 304 && notModified.bodyLength == 0)
        #expect(notModified.headLength == made.headLength)
        // The cost counts the 304 before it is made, with a head no longer than the 200's.
        #expect(notModified.headLength <= full.headLength)
    }

    @Test func `an origin's tags are among it, so that small pictures with many tags keep to the budget`() {
        // As many tags as are kept of an original, of a length that fits into a head.
        let tags = (0..<StoredFields.tagLimit).map { "\($0)" + String(repeating: "t", count: 240) }
        keep("/a", tags: [])
        let plain = cache.memoryStatistics.cost
        keep("/b", tags: tags)
        let bytes = tags.reduce(0) { $0 + $1.utf8.count }
        #expect(cache.memoryStatistics.cost - 2 * plain >= bytes)
        for number in 0..<200 { keep("/\(number)", tags: tags) }
        #expect(cache.memoryStatistics.entries * bytes <= 8 << 20)
        #expect(cache.memoryStatistics.evictions > 0)
    }
}
