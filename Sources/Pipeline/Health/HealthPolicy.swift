// SPDX-License-Identifier: Apache-2.0

/// When an origin counts as sick, and how long it is left alone. Times are microseconds.
package struct HealthPolicy: Sendable, Hashable {
    /// Failures in a row after which an origin rests; 0: none are enough. Ten as HAProxy's `error-limit`: a page of
    /// pictures of which some are broken does not come to it, a dead server does within the first page.
    package var failures = 10
    /// Clients whose requests must have failed before an origin rests for everybody, unless it cannot be connected to. Each
    /// client's failures count up to that share. A client can choose URLs that always fail, and three addresses are more than
    /// most people have.
    package var clients = 3
    /// The first rest. A restart takes a second or two.
    package var firstRest: Int64 = 1_000_000
    /// Each rest after a probe that failed is twice the one before, up to this, for requests that can do without the origin. A
    /// request that would get nothing probes after `firstRest`.
    package var longestRest: Int64 = 30_000_000
    /// Failures further apart are not of one sickness, and an origin that no request came back for is forgotten.
    package var memory: Int64 = 60_000_000
    /// Origins remembered, and as many pairs of an origin and a client. A sick one takes some 300 bytes, a healthy one
    /// nothing; anyone can name millions.
    package var capacity = 10_000

    package init() {}

    /// Of one client's failures, those that count where several clients are heard.
    var shareOfClient: Int { (failures + max(1, clients) - 1) / max(1, clients) }
}
