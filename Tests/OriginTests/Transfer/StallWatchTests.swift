// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
import Kernel
import Synchronization
import TestSupport
import Testing

@testable import Origin

@Suite struct `The network thread's heartbeat` {
    private static let second: Ticks = 1_000_000

    /// Makes a look every half second, each with that many seconds of lateness.
    private func events(_ lateness: [Double], isStopping: Bool = false) -> [StallWatch.Event] {
        var watch = StallWatch(notice: 3 * Self.second, limit: 10 * Self.second, at: 0)
        watch.isStopping = isStopping
        return lateness.enumerated().compactMap { index, late in
            watch.look(lateness: Ticks(late * 1_000_000), at: Ticks(index + 1) * Self.second / 2)
        }
    }

    @Test func `is no stall as long as it turns in time`() {
        #expect(events([0, 0.5, 2.9, 0, 1, 2, 0.1]) == [])
    }

    @Test func `is told once when it is lost, and when it comes back`() {
        #expect(events([2.8, 3.3, 3.8, 4.3, 0, 0]) == [.began(3_300_000), .ended(4_800_000)])
    }

    @Test func `is hopeless in the end, once`() {
        #expect(events([3, 9.9, 10.4, 10.9, 11.4]) == [.began(3_000_000), .hopeless(10_400_000)])
    }

    @Test func `is not hopeless during a stop, which ends the process by itself`() {
        #expect(events([3, 9.9, 10.4, 10.9], isStopping: true) == [.began(3_000_000)])
    }

    @Test func `is not missed when whoever looks was held up as well`() {
        var watch = StallWatch(notice: 3 * Self.second, limit: 10 * Self.second, at: 0)
        #expect(watch.look(lateness: 0, at: Self.second) == nil)
        #expect(watch.look(lateness: 60 * Self.second, at: 61 * Self.second) == nil)
        #expect(watch.look(lateness: 0, at: 61 * Self.second + 1) == nil)
        #expect(!watch.isStalled)
    }

    @Test func `fails every fetch when it is lost, and lets them in again when it is back`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let (hold, release) = (Latch(), Latch())
        let isFirst = Atomic<Bool>(true)
        let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor = { () throws(SystemError) in
            // On the network thread, like a disk that does not answer.
            if isFirst.exchange(false, ordering: .relaxed) {
                hold.signal()
                release.wait()
            }
            return try temporaryFile()
        }
        try await withDownloader({ $0.stallNotice = .milliseconds(50) }, makeFile: makeFile) { downloader in
            async let first = downloader.failure(origin.url("/a"))
            #expect(await Patience.eventually { hold.count == 1 })
            async let second = downloader.failure(origin.url("/b"))
            #expect(await Patience.eventually { downloader.counters.active == 2 })
            var event: StallWatch.Event?
            func hasEvent() async -> Bool {
                await Patience.eventually {
                    event = downloader.look()
                    return event != nil
                }
            }
            #expect(await hasEvent(), "the heartbeat is lost")
            guard case .began = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(await first == .stalled)
            #expect(await second == .stalled)
            #expect(await downloader.failure(origin.url("/c")) == .stalled)
            #expect(downloader.counters.stalls == 1)
            release.signal()
            #expect(await hasEvent(), "the heartbeat is back")
            guard case .ended = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(await downloader.failure(origin.url("/d")) == nil)
        }
    }
}
