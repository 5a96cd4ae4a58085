// SPDX-License-Identifier: Apache-2.0

/// A series of the history. The raw values are 0, 1, 2, … in the order of the cases.
package enum HistorySeries: Int, CaseIterable, Sendable {
    // Answers by outcome.
    case memoryHits, diskHits, sharedHits, staleAnswers, revalidated, rendered, coalesced, negative, bypassed
    case refused, syntheticAnswers
    // Answers by the class of their status.
    case clientErrors, serverErrors
    case sentBytes
    // The 50th, 95th and 99th percentile of the microseconds from the end of a request's head to the last byte of its answer.
    case latency50, latency95, latency99
    // The 95th percentile of the microseconds in a stage, over the requests that went through it.
    case cache95, origin95, inspect95, queue95, decode95, encode95
    case fetches, failedFetches, receivedBytes, renderings
    case connections, requestsInFlight, waitingFetches, waitingDecodes, busyDecoders
    case memoryBytes, residentBytes, diskBytes

    /// The unit: "microseconds", "bytes", or the thing that is counted.
    package var unit: String {
        switch self {
        case .memoryHits, .diskHits, .sharedHits, .staleAnswers, .revalidated, .rendered, .coalesced,
            .negative, .bypassed,
            .refused, .syntheticAnswers, .clientErrors, .serverErrors, .requestsInFlight:
            "requests"
        case .latency50, .latency95, .latency99, .cache95, .origin95, .inspect95, .queue95, .decode95,
            .encode95:
            "microseconds"
        case .sentBytes, .receivedBytes, .memoryBytes, .residentBytes, .diskBytes: "bytes"
        case .fetches, .failedFetches, .waitingFetches: "fetches"
        case .renderings: "renditions"
        case .connections: "connections"
        case .waitingDecodes: "jobs"
        case .busyDecoders: "processes"
        }
    }
}
