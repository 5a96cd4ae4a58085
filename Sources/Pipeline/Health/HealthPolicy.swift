// SPDX-License-Identifier: Apache-2.0

/// The circuit breaker's thresholds: when an origin counts as failing, and how long it rests. Times in
/// microseconds.
package struct HealthPolicy: Sendable, Hashable {
    /// Failures in a row after which an origin rests; 0 = never. Ten as in HAProxy's `error-limit`: a page
    /// with some broken pictures does not reach it, a dead server does within the first page.
    package var failures = 10
    /// Clients whose requests must have failed before an origin rests for all clients, unless no connection to it is possible. Each
    /// client's failures count up to an equal share. One client can choose URLs that always fail, but few people have three
    /// addresses.
    package var clients = 3
    /// The first rest. A server's restart takes a second or two.
    package var firstRest: Int64 = 1_000_000
    /// The longest rest: each failed probe doubles the rest up to this, for requests that can do without the
    /// origin. Other requests probe after `firstRest`.
    package var longestRest: Int64 = 30_000_000
    /// Failures further apart do not count together, and an origin without requests for this long is forgotten.
    package var memory: Int64 = 60_000_000
    /// Origins remembered, and as many pairs of an origin and a client. The number is bounded because clients can name millions of
    /// origins. A failing origin takes some 300 bytes, a healthy one none.
    package var capacity = 10_000

    /// Every threshold at its default.
    package init() {}

    /// The failures of one client that count while several clients are needed.
    var shareOfClient: Int { (failures + max(1, clients) - 1) / max(1, clients) }
}
