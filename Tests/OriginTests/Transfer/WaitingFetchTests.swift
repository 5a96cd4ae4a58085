// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Fetches that wait for a connection` {
    @Test func `do not hold up those that wait for another origin`() async throws {
        let (all, over) = (Latch(), Latch())
        let slow = ScriptedOrigin { peer in
            over.wait()
            peer.answer(body: "slow".utf8)
        }
        let quick = ScriptedOrigin { peer in
            all.wait()
            peer.answer(body: "quick".utf8)
        }
        try await withDownloader {
            $0.connectionsPerHost = 1
        } _: { downloader in
            let slowOnes = (0..<20).map { number in
                Task { await downloader.failure(slow.url("/\(number)")) }
            }
            #expect(await Patience.eventually { downloader.counters.active == 20 })
            let quickOnes = (0..<5).map { number in
                Task { await downloader.failure(quick.url("/\(number)")) }
            }
            #expect(await Patience.eventually { downloader.counters.active == 25 })
            all.signal()
            for fetch in quickOnes { #expect(await fetch.value == nil) }
            for fetch in slowOnes { fetch.cancel() }
            over.signal()
            for fetch in slowOnes { _ = await fetch.value }
        }
        #expect(quick.accepted == 1)
    }
}
