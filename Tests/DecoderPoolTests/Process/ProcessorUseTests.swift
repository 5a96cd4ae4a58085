// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
import Testing

@Suite("The processor time of a job that missed its deadline") struct ProcessorUseTests {
    /// Seconds of processor time at the start of the job, in its last part and at its deadline; it was promised 20.
    private func isWithheld(_ start: Int?, _ late: Int?, _ end: Int?, firstCouldRun: Bool = false) -> Bool {
        var use = ProcessorUse(from: start.map { Duration.seconds($0) })
        use.look(at: late.map { Duration.seconds($0) })
        return use.wasWithheld(
            at: end.map { Duration.seconds($0) }, promised: .seconds(20), firstCouldRun: firstCouldRun)
    }

    @Test func `was withheld where the process computed to the end, and had less than half of it`() {
        #expect(isWithheld(5, 10, 14))
        #expect(!isWithheld(5, 10, 15))
        #expect(!isWithheld(5, 20, 25))
    }

    @Test func `was not wanted by a process that slept in the last part`() {
        #expect(!isWithheld(5, 10, 10))
        #expect(!isWithheld(5, 5, 5))
    }

    @Test func `was wanted if the first thread could run`() {
        #expect(isWithheld(5, 5, 5, firstCouldRun: true))
        #expect(isWithheld(5, nil, 10, firstCouldRun: true))
        #expect(!isWithheld(5, 10, 15, firstCouldRun: true))
    }

    @Test func `was withheld where the daemon itself got no time to look`() {
        let use = ProcessorUse(from: .seconds(5))
        #expect(use.wasWithheld(at: .seconds(10), promised: .seconds(20), firstCouldRun: false))
        #expect(!use.wasWithheld(at: .seconds(15), promised: .seconds(20), firstCouldRun: false))
    }

    @Test func `tells nothing where it is unknown`() {
        #expect(!isWithheld(nil, 10, 12, firstCouldRun: true))
        #expect(!isWithheld(5, 10, nil, firstCouldRun: true))
        #expect(!isWithheld(5, nil, 10))
    }
}
