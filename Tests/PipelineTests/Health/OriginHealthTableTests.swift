// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Pipeline
import SourceURLs
import Synchronization
import Testing

@Suite("The table of origins' health, without a pipeline")
struct OriginHealthTableTests {
    @Test func `the log hears of the first rest and of the recovery`() async throws {
        let clock = HandMovedClock()
        let events = Mutex<[OriginHealthEvent]>([])
        var policy = HealthPolicy()
        policy.failures = 1
        let table = OriginHealthTable(policy, environment: clock) { event in
            events.withLock { $0.append(event) }
        }
        let origin = SourceOrigin(scheme: .https, host: "a.test", port: 8443)
        func ask(_ signal: HealthSignal) throws { table.leave(try table.enter(origin, for: nil), signal) }
        try ask(.down)
        clock.advance(seconds: 0.75)
        try ask(.failed(url: 1))
        clock.advance(seconds: 1.5)
        try ask(.well)
        #expect(events.withLock { $0.map(\.kind) } == [.rests, .probeFailed, .recovered])
        #expect(events.withLock { $0.map(\.rest) } == [750, 1500, 0])
        #expect("\(origin)" == "https://a.test:8443")
        #expect(table.rests.read() == 1)
    }

    @Test func `a failure behind a redirect is its place's, and who redirected is well`() throws {
        var policy = HealthPolicy()
        policy.failures = 1
        let table = OriginHealthTable(policy, environment: HandMovedClock()) { _ in }
        let first = SourceOrigin(scheme: .http, host: "a.test", port: 80)
        let second = SourceOrigin(scheme: .http, host: "b.test", port: 80)
        table.leave(try table.enter(first, for: nil), .down, at: second)
        #expect(table.outlook(of: first, for: nil, isWanted: true) == .well)
        #expect(throws: PipelineFailure.self) { try table.refuseResting(second, for: nil, isWanted: true) }
    }

    @Test func `however many origins strangers name, few are remembered, and the failing before the suspect`()
        throws
    {
        var policy = HealthPolicy()
        policy.failures = 2
        policy.capacity = 80
        let table = OriginHealthTable(policy, environment: HandMovedClock()) { _ in }
        func origin(_ name: String) -> SourceOrigin { SourceOrigin(scheme: .http, host: name, port: 80) }
        for number in 0..<20 {
            for _ in 1...2 { table.leave(try table.enter(origin("failing\(number)"), for: nil), .down) }
        }
        for number in 0..<10_000 {
            table.leave(try table.enter(origin("\(number)"), for: nil), .down)
            #expect(table.rememberedCount <= 80)
        }
        #expect(table.restingCount == 20)
    }
}
