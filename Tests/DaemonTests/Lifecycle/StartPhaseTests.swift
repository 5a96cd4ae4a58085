// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("A signal that asks for the end is heard at any time of the start")
struct StartPhaseTests {
    @Test func `before anything is served it ends the process, and nothing is kept`() {
        var phase = StartPhase()
        let consequence = phase.take(15)
        phase.beginServing(patience: .seconds(25))
        let kept = phase.handOver()
        #expect(consequence == .end && kept == nil)
    }

    @Test func `once something is served, the first one is kept for the drain, for the time of a drain`() {
        var phase = StartPhase()
        phase.beginServing(patience: .seconds(25))
        let consequences = [phase.take(2), phase.take(15)]
        #expect(consequences == [.keep(atMost: .seconds(25)), .nothing] && !phase.isHandedOver)
        let kept = phase.handOver()
        #expect(kept == 2 && phase.isHandedOver)
    }

    @Test func `after that it is not for the start`() {
        var phase = StartPhase()
        phase.beginServing(patience: .seconds(25))
        let kept = phase.handOver()
        let consequence = phase.take(15)
        #expect(kept == nil && consequence == .nothing && phase.isHandedOver)
    }
}
