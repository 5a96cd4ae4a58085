// SPDX-License-Identifier: Apache-2.0

/// The operator's bounds on what origins' fields decide. All durations in seconds.
package struct CachePolicy: Sendable, Hashable {
    /// The shortest time from a response's arrival until the origin is asked again, whatever the response's age and lifetime;
    /// `no-cache` still applies.
    package var minimumLifetime: Int32 = 0
    /// The longest lifetime; a year by default.
    package var maximumLifetime: Int32 = 31_536_000
    /// The lifetime if the origin gives none, and no heuristic applies.
    package var defaultLifetime: Int32 = 1
    /// Heuristic lifetime in ten-thousandths of the time since `Last-Modified` (RFC 9111 §4.2.2); 0 = no heuristic.
    package var heuristicParts: Int32 = 1_000
    /// The longest heuristic lifetime.
    package var maximumHeuristicLifetime: Int32 = 86_400
    /// Used if the origin does not send `stale-while-revalidate`.
    package var defaultStaleWhileRevalidate: Int32 = 0
    /// Used if the origin does not send `stale-if-error`, because yesterday's picture is better than none.
    package var defaultStaleIfError: Int32 = 86_400
    /// If false, responses are kept in spite of `private`.
    package var honoursPrivate = true
    /// If false, responses are kept in spite of `no-store`.
    package var honoursNoStore = true

    /// Every bound at its default.
    package init() {}
}
