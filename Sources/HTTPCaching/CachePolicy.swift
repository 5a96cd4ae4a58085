// SPDX-License-Identifier: Apache-2.0

/// How far the operator lets origins decide. All durations in seconds.
package struct CachePolicy: Sendable, Hashable {
    /// Nothing is asked for again sooner than this after it arrived, whatever its age and lifetime; but
    /// `no-cache` stays `no-cache`.
    package var minimumLifetime: Int32 = 0
    /// A year, beyond which nobody plans.
    package var maximumLifetime: Int32 = 31_536_000
    /// Where the origin says nothing that a lifetime could be told or guessed from.
    package var defaultLifetime: Int32 = 1
    /// Of the time since `Last-Modified`, where there is nothing better (RFC 9111 §4.2.2); 0 turns guessing
    /// off.
    package var heuristicPercent: Int32 = 10
    package var maximumHeuristicLifetime: Int32 = 86_400
    /// Where the origin does not say `stale-while-revalidate`.
    package var defaultStaleWhileRevalidate: Int32 = 0
    /// Where the origin does not say `stale-if-error`. A picture of yesterday is better than none.
    package var defaultStaleIfError: Int32 = 86_400
    package var honoursPrivate = true
    package var honoursNoStore = true

    package init() {}
}
