// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Bytes
import Clients
import HTTP1
import HTTPCaching
import HTTPSemantics
import ImageHeaders
import Kernel
@testable import Pipeline
import Recipes
import RequestGrammar
import SourceURLs
import Stores
import Testing

@Suite("Answers in memory end with their original's bytes") struct EndedAnswerTests {
    private static let source = SourceURL(scheme: .http, host: "origin.test", port: 80, target: "/a")
    private static let watermark = OriginalKey(url: "http://origin.test/mark")
    private static let now = Timestamp(seconds: 1_700_000_000)
    private let cache = AnswerCache(budget: 8 << 20, openFiles: 8)

    private func digest(_ number: UInt64) -> OriginalDigest {
        OriginalDigest(Digest(words: (number, 2, 3, 4)))
    }

    private func original(_ key: OriginalKey, _ number: UInt64) -> Original {
        Original(
            key: key, digest: digest(number), length: 9,
            header: ImageHeader(format: .jpeg, width: 4, height: 3), lastModified: nil,
            freshness: Freshness(
                responseTime: Self.now, initialAge: 0, lifetime: 60, staleWhileRevalidate: 0,
                staleIfError: 0, flags: []))
    }

    private func keep(_ target: String, of number: UInt64, bearing mark: UInt64? = nil, isHeld: Bool = false)
    {
        let original = original(Self.source.bareKey, number)
        let body = Body.bytes(ImmutableBytes([1, 2, 3]))
        let rendition = Rendition(
            key: RenditionKey(digest(number).digest), format: .jpeg, width: 4, height: 3, pages: 1,
            length: body.length)
        let answer = Answer(
            rendition: rendition, body: body, original: original,
            watermark: mark.map { self.original(Self.watermark, $0) }, outcome: .rendered,
            times: StageTimes(), variesByAccept: false, epoch: PurgeLog().epoch, tags: [], isKept: true)
        let presentation = Presentation(
            answer, .picture, for: ImageRequest(source: Self.source, recipe: Recipe()),
            policy: ClientPolicy(), now: Self.now)
        cache.insert(
            presentation, for: Array(target.utf8), accept: [], at: .native, of: cache.epoch, isHeld: isHeld)
    }

    /// True if the request is answered from memory.
    private func isServed(_ target: String) throws -> Bool {
        let bytes = Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var parser = RequestParser(limits: ParserLimits())
        return try bytes.withUnsafeBytes { buffer in
            let progress = try parser.parse(buffer)
            #expect(progress == .complete)
            let request = RequestView(head: parser.head, bytes: buffer, peer: .local)
            var tail = FieldBuffer()
            return cache.find(request)?.answer(to: request, now: Self.now, tail: &tail) != nil
        }
    }

    @Test func `those of other bytes are not served, those of these bytes are`() throws {
        keep("/old", of: 1)
        keep("/new", of: 2)
        #expect(try isServed("/old") && isServed("/new"))
        cache.endAnswers(of: Self.source.bareKey, except: digest(2))
        #expect(try !isServed("/old") && isServed("/new"))
        keep("/old", of: 2)
        #expect(try isServed("/old"))
    }

    @Test func `none is served once the original is gone`() throws {
        keep("/a", of: 1)
        cache.endAnswers(of: Self.source.bareKey, except: nil)
        #expect(try !isServed("/a"))
        cache.endAnswers(of: Self.source.bareKey, except: digest(1))
        #expect(try isServed("/a"), "the same bytes are back")
    }

    @Test(arguments: [1, nil] as [UInt64?])
    func `bytes that the disk cache holds again have ready answers again`(former: UInt64?) throws {
        keep("/a", of: 1)
        cache.endAnswers(of: Self.source.bareKey, except: former.map(digest))
        keep("/b", of: 2)
        #expect(try !isServed("/b"))
        keep("/b", of: 2, isHeld: true)
        #expect(try isServed("/b") && !isServed("/a"))
    }

    @Test func `those that bear other bytes of a watermark are not served`() throws {
        keep("/old", of: 1, bearing: 3)
        keep("/new", of: 1, bearing: 4)
        keep("/plain", of: 1)
        #expect(try isServed("/old") && isServed("/new"))
        cache.endAnswers(of: Self.watermark, except: digest(4))
        #expect(try !isServed("/old") && isServed("/new") && isServed("/plain"))
        cache.endAnswers(of: Self.watermark, except: nil)
        #expect(try !isServed("/new") && isServed("/plain"))
    }

    @Test func `those of other originals stay`() throws {
        keep("/a", of: 1)
        let other = SourceURL(scheme: .http, host: "origin.test", port: 80, target: "/b")
        cache.endAnswers(of: other.bareKey, except: digest(2))
        #expect(try isServed("/a"))
    }
}
