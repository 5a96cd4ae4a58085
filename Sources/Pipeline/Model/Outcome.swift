// SPDX-License-Identifier: Apache-2.0

/// How an answer came about: the log field, the metric label, the `Cache-Status` detail and the test's expectation.
package enum Outcome: String, Sendable, Hashable, CaseIterable {
    case memoryHit, diskHit, stale, revalidated, rendered, coalesced, negative, bypassed, refused
}

extension PipelineFailure {
    package var outcome: Outcome { isFromMemory ? .negative : .refused }
}
