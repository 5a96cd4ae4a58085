// SPDX-License-Identifier: Apache-2.0

/// When an origin counts as sick, and how long it is left alone. Times are microseconds.
package struct HealthPolicy: Sendable, Hashable {
    /// Failures in a row after which an origin rests; 0: none are enough. Ten as HAProxy's `error-limit`: a page of
    /// pictures of which some are broken does not come to it, a dead server does within the first page.
    package var failures = 10
    /// The first rest. A restart takes a second or two.
    package var firstRest: Int64 = 1_000_000
    /// Each rest after a probe that failed is twice the one before, up to this. It is also what our own network's
    /// return costs at most, for while that was away every origin looked sick.
    package var longestRest: Int64 = 30_000_000
    /// The most that an origin's own `Retry-After` gives, in seconds.
    package var longestPause = 300
    /// Failures further apart are not of one sickness, and an origin that nobody came back for is forgotten.
    package var memory: Int64 = 60_000_000
    /// Origins remembered. A sick one takes some 300 bytes, a healthy one nothing; anyone can name millions.
    package var capacity = 10_000

    package init() {}
}
