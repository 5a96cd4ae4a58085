// SPDX-License-Identifier: Apache-2.0

/// The purpose of a fetch.
enum FetchPurpose: Sendable {
    /// To make a picture of the original.
    case decoding
    /// To report on the original.
    case describing
    /// To keep the original fresh; no request waits.
    case refreshing
}

/// The work of one in-flight request for an original, as its stages pass it on.
struct FetchAttempt: Sendable {
    let wanted: FetchRequest
    /// The priority of the most urgent request that waits.
    let priority: LivePriority
    let purpose: FetchPurpose
    /// True to ask the origin even if the held original is fresh, or the origin is known to fail.
    let mustAsk: Bool
    /// When the work began; a later purge makes what it brings unfit to keep.
    let epoch: PurgeEpoch
}
