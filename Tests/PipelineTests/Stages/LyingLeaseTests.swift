// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Synchronization
import Testing

/// Leases that always claim that the work is done.
private final class LyingLeases: LeasePort {
    private let count = Atomic<Int>(0)

    var questions: Int { count.load(ordering: .relaxed) }

    func take(_ name: LeaseName, over marker: LeaseMarker?) async -> LeaseVerdict {
        .done(LeaseMarker(text: "\(count.add(1, ordering: .relaxed).newValue)"))
    }
    func release(_ lease: Lease, _ end: LeaseEnd) {}
    func holder(of name: LeaseName) async -> String? { nil }
}

@Suite(.timeLimit(.minutes(1)))
struct LyingLeaseTests {
    @Test func `markers that lead to nothing are looked up with pauses, until the wait is over`()
        async throws
    {
        let (clock, leases) = (HandMovedClock(), LyingLeases())
        let node = NodeUnderTest(clock: clock, store: SharedStoreDouble(), leases: leases) {
            $0.leaseWait = 2_000_000
        }
        let client = node.client(node.request())
        try await until { leases.questions >= 2 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(leases.questions == 2)
        let time = Task {
            while !Task.isCancelled {
                clock.advanceToNextAlarm(within: 0.1)
                await Task.yield()
            }
        }
        defer { time.cancel() }
        _ = try await client.value.get()
        // Some forty requests for a lease for the original, and as many for the rendition.
        #expect(leases.questions < 200 && node.origin.requests.count == 1)
    }
}
