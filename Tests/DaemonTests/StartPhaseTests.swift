// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("A signal that asks for the end is heard at any time of the start")
struct StartPhaseTests {
    @Test func `before anything is served it ends the process, and nothing is kept`() {
        var phase = StartPhase()
        let ends = phase.ends(by: 15)
        phase.beginServing()
        let kept = phase.handOver()
        #expect(ends && kept == nil)
    }

    @Test func `once something is served, the first one is kept for the drain`() {
        var phase = StartPhase()
        phase.beginServing()
        let ends = [phase.ends(by: 2), phase.ends(by: 15)]
        #expect(ends == [false, false] && !phase.isHandedOver)
        let kept = phase.handOver()
        #expect(kept == 2 && phase.isHandedOver)
    }

    @Test func `after that it is not for the start`() {
        var phase = StartPhase()
        phase.beginServing()
        let kept = phase.handOver()
        let ends = phase.ends(by: 15)
        #expect(kept == nil && !ends && phase.isHandedOver)
    }
}
