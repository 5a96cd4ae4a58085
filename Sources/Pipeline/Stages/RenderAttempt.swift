// SPDX-License-Identifier: Apache-2.0

internal import Clients

/// The work of one in-flight request for a rendition, as its stages pass it on.
struct RenderAttempt<Body: Sendable>: Sendable {
    let planned: PlannedRendition
    let arrival: Arrival<Body>
    let watermark: ResolvedWatermark<Body>?
    /// The priority of the most urgent request that waits.
    let priority: LivePriority
    /// The client that asked first, whose turn the job takes; nil for one without an address.
    let client: ClientKey?
}
