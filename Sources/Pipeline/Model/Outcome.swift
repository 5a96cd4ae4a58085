// SPDX-License-Identifier: Apache-2.0

/// How an answer came about: the value of the log's field, of the metrics' label and of the detail in `Cache-Status`.
package enum Outcome: String, Sendable, Hashable, CaseIterable {
    case memoryHit, diskHit, sharedHit, stale, revalidated, rendered, coalesced, negative, bypassed, refused
    case synthetic
}

extension PipelineFailure {
    /// `negative` for a remembered failure, otherwise `refused`.
    package var outcome: Outcome { isFromMemory ? .negative : .refused }
}

/// Where something was found.
package enum CacheLevel: String, Sendable, Hashable, CaseIterable {
    case memory, disk
    /// The store that several nodes share.
    case shared

    /// The outcome of an answer from this level.
    package var outcome: Outcome {
        switch self {
        case .memory: .memoryHit
        case .disk: .diskHit
        case .shared: .sharedHit
        }
    }
}
