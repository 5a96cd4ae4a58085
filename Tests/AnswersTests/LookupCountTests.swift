// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Bytes
import Clients
import Foundation
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

@Suite("A request counts one hit or one miss, however often it looks") struct LookupCountTests {
    private let cache = AnswerCache(budget: 8 << 20, openFiles: 8)

    private func ask(_ target: String, accept: String?) throws -> CachedAnswer? {
        let line = accept.map { "Accept: \($0)\r\n" } ?? ""
        let bytes = Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\(line)\r\n".utf8)
        var parser = RequestParser(limits: ParserLimits())
        return try bytes.withUnsafeBytes { buffer in
            let progress = try parser.parse(buffer)
            #expect(progress == .complete)
            return cache.find(RequestView(head: parser.head, bytes: buffer, peer: .local))
        }
    }

    private func keep(
        _ target: String, _ body: Body, variesByAccept: Bool, epoch: Int? = nil, isOriginal: Bool = false
    ) {
        let source = SourceURL(scheme: .http, host: "origin.test", port: 80, target: "/a")
        let now = Timestamp(seconds: 1_700_000_000)
        let digest = Digest(words: (1, 2, 3, 4))
        let original = Original(
            key: source.bareKey, digest: OriginalDigest(digest), length: 9,
            header: ImageHeader(format: .jpeg, width: 4, height: 3), lastModified: nil,
            freshness: Freshness(
                responseTime: now, initialAge: 0, lifetime: 60, staleWhileRevalidate: 0, staleIfError: 0,
                flags: []))
        let rendition = Rendition(
            key: RenditionKey(digest), format: .jpeg, width: 4, height: 3, pages: 1, length: body.length)
        var answer = Answer(
            rendition: rendition, body: body, original: original, outcome: .rendered, times: StageTimes(),
            variesByAccept: variesByAccept, epoch: PurgeLog().epoch, tags: [], isKept: true)
        answer.isOriginal = isOriginal
        let presentation = Presentation(
            answer, .picture, for: ImageRequest(source: source, recipe: Recipe()), policy: ClientPolicy(),
            now: now)
        cache.insert(
            presentation, for: Array(target.utf8), accept: [], at: .native, of: epoch ?? cache.epoch,
            isHeld: true)
    }

    private func openFile(_ path: String, length: Int) throws -> Body {
        try Data(repeating: 7, count: length).write(to: URL(filePath: path))
        let file = open(path, O_RDONLY)
        let state = try #require(FileState(file))
        return .file(OwnedDescriptor(adopting: file, in: state) { _, _ in }, length: length)
    }

    @Test(arguments: [nil, "image/avif", "image/avif\r\nAccept: image/webp"])
    func `a request that finds nothing is one miss`(accept: String?) throws {
        #expect(try ask("/a", accept: accept) == nil)
        #expect((cache.hits, cache.misses) == (0, 1))
    }

    @Test(arguments: [false, true])
    func `a request that finds its answer is one hit`(variesByAccept: Bool) throws {
        keep("/a", .bytes(ImmutableBytes([1, 2, 3])), variesByAccept: variesByAccept)
        #expect(try ask("/a", accept: nil) != nil)
        #expect((cache.hits, cache.misses) == (1, 0))
    }

    @Test func `answers end with the rules under which they were made`() throws {
        let epoch = cache.epoch
        keep("/a", .bytes(ImmutableBytes([1, 2, 3])), variesByAccept: false)
        cache.beginEpoch()
        #expect(try ask("/a", accept: nil) == nil)
        keep("/a", .bytes(ImmutableBytes([1, 2, 3])), variesByAccept: false, epoch: epoch)
        #expect(try ask("/a", accept: nil) == nil, "it was still being made")
        keep("/a", .bytes(ImmutableBytes([1, 2, 3])), variesByAccept: false)
        #expect(try ask("/a", accept: nil) != nil)
    }

    @Test(arguments: [false, true])
    func `so is one that finds an open file, also where that was written to`(isAltered: Bool) throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        defer { unlink(path) }
        keep("/a", try openFile(path, length: 4 << 20), variesByAccept: true)
        if isAltered { #expect(truncate(path, 50) == 0) }
        #expect(try (ask("/a", accept: nil) == nil) == isAltered)
        #expect((cache.hits, cache.misses) == (1, 0))
    }

    @Test func `an open file is closed once the disk cache releases it, an original's like a rendition's`()
        throws
    {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        defer { unlink(path) }
        let digest = Digest(words: (1, 2, 3, 4))
        let files: [(isOriginal: Bool, ReleasedFiles)] = [
            (true, .originals([OriginalDigest(digest)])), (false, .renditions([RenditionKey(digest)])),
        ]
        for (isOriginal, file) in files {
            keep("/a", try openFile(path, length: 4 << 20), variesByAccept: false, isOriginal: isOriginal)
            cache.release(.originals([OriginalDigest(Digest(words: (4, 3, 2, 1)))]))
            #expect(cache.fileStatistics.entries == 1)
            cache.release(file)
            #expect(cache.fileStatistics.entries == 0)
        }
    }

    @Test func `an open file is closed once it is told to have lost its name`() throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        let body = try openFile(path, length: 4 << 20)
        #expect(unlink(path) == 0)
        guard case .file(let file, _) = body, let number = file.state?.number else {
            Issue.record("no file")
            return
        }
        keep("/a", try openFile(path, length: 4 << 20), variesByAccept: false)
        defer { unlink(path) }
        let answer = try #require(try ask("/a", accept: nil))
        let kept = try #require(answer.file?.state)
        // Once a file is closed, its number may belong to another file.
        withExtendedLifetime(body) { #expect(kept.number != number) }
        cache.release(.nameless([number]))
        #expect(cache.fileStatistics.entries == 1)
        cache.release(.nameless([number, kept.number]))
        #expect(cache.fileStatistics.entries == 0)
    }

    @Test func `the answer that was kept last is found, in memory or as an open file`() throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        defer { unlink(path) }
        for _ in 0..<2 {
            keep("/a", .bytes(ImmutableBytes([1, 2, 3])), variesByAccept: true)
            #expect(try #require(try ask("/a", accept: nil)).file == nil)
            #expect((cache.memoryStatistics.entries, cache.fileStatistics.entries) == (1, 0))
            keep("/a", try openFile(path, length: 4 << 20), variesByAccept: true)
            #expect(try #require(try ask("/a", accept: nil)).file != nil)
            #expect((cache.memoryStatistics.entries, cache.fileStatistics.entries) == (0, 1))
        }
    }
}
