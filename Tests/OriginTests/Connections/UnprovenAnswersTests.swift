// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite struct `Answers without a proof` {
    private func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://a.example/\(number)") }

    @Test func `are as many as were entered, those of one original as well`() {
        let unproven = UnprovenAnswers(limit: 3)
        unproven.insert([key(1), key(1)])
        #expect(!unproven.isFull)
        unproven.insert([key(2)])
        #expect(unproven.isFull)
        unproven.remove([key(1)])
        #expect(!unproven.isFull && unproven.contains(key(1)))
        unproven.remove([key(1)])
        #expect(!unproven.contains(key(1)) && unproven.contains(key(2)))
    }

    @Test func `make no room that they have not taken`() {
        let unproven = UnprovenAnswers(limit: 1)
        unproven.remove([key(1), key(2)])
        unproven.insert([key(1)])
        #expect(unproven.isFull)
    }

    @Test(.timeLimit(.minutes(1)))
    func `beyond their limit have each connection serve one request`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let downloader = Downloader(
            try .loopback(), unproven: UnprovenAnswers(limit: 0), makeFile: temporaryFile, now: wallClock)
        try downloader.start()
        defer { downloader.shutdown() }
        for _ in 0..<3 {
            let reply = try await downloader.fetch(origin.url())
            #expect(reply.payload?.length == 3)
        }
        #expect(origin.accepted == 3)
    }
}
