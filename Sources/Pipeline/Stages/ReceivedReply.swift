// SPDX-License-Identifier: Apache-2.0

/// A reply of the origin, with what was known when the origin was asked.
struct ReceivedReply<Body: Sendable> {
    let reply: OriginReply<Body>
    let request: OriginRequest
    /// What was known of the content when the origin was asked. The request itself may go without conditions.
    let known: KnownContent
    /// The original that was on record, even if nothing is known of it.
    let recorded: Original?
    let attempt: FetchAttempt
}
