// SPDX-License-Identifier: Apache-2.0

import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("A store's answer is late by those before it")
struct AnswerTimeTests {
    private func late(_ samples: [Int64]) -> Int64 {
        var times = AnswerTimes()
        for sample in samples { times.learn(sample) }
        return times.late
    }

    @Test func `before the first answer nothing is known`() {
        #expect(late([]) == AnswerTimes.initial)
    }

    @Test func `a steady store is late soon, but not sooner than a machine may notice`() {
        #expect(late(.init(repeating: 4_000, count: 100)) == 4_000 + AnswerTimes.granularity)
    }

    @Test func `a store in its usual health is hardly ever late`() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 1...UInt64.max, using: &generator)
        var state = seed
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        var times = AnswerTimes()
        var count = 0
        for number in 0..<10_000 {
            // 20 ms, and now and then up to twice as much.
            let sample = Int64(20_000 + 20_000 * random() * random() * random())
            if number > 100, sample > times.late { count += 1 }
            times.learn(sample)
        }
        #expect(count < 50, "seed \(seed): \(count) of 10,000")
    }

    @Test func `a store that has become slow is soon not late any more`() {
        let before = [Int64](repeating: 5_000, count: 100)
        #expect(late(before) < 100_000)
        #expect(late(before + .init(repeating: 100_000, count: 3)) > 100_000)
    }

    @Test func `answers tell how fast the store is, and failures do not`() async throws {
        let bucket = Bucket()
        let cache = try CacheUnderTest(inMemory: true)
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = OriginalKey(url: "http://a.example/1")
        #expect(store.lookTimes?.late == AnswerTimes.initial)
        bucket.state.withLock { $0.failure = ObjectFailure(.timeout, "late") }
        _ = await store.original(key)
        #expect(store.lookTimes?.late == AnswerTimes.initial)
        bucket.state.withLock { $0.failure = nil }
        _ = await store.original(key)
        #expect(store.lookTimes == LookTimes(late: AnswerTimes.granularity, deadline: 300_000))
        let patient = try bucket.open({ $0.hedges = false }, in: cache)
        defer { patient.close() }
        #expect(patient.lookTimes == nil)
    }
}
