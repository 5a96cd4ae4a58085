// SPDX-License-Identifier: Apache-2.0

import Answers
import Monitoring
import Pipeline
import Telemetry
import Testing

@Suite("An outcome is one word everywhere")
struct OutcomeTests {
    @Test func `the label of the metrics is the outcome's word`() {
        for outcome in Outcome.allCases { #expect(outcome.label.value == outcome.rawValue) }
        #expect(OutcomeLabel.allCases.count == Outcome.allCases.count)
    }

    @Test func `an outcome comes back from its tag`() {
        #expect(Outcome(tag: 0) == nil)
        for outcome in Outcome.allCases { #expect(Outcome(tag: outcome.tag) == outcome) }
        #expect(Outcome(tag: UInt16(Outcome.allCases.count + 1)) == nil)
    }
}
