// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// How deep requests are nested. An origin that is asked for a picture may itself ask Pictor for another source, and passes on the
/// mark of the fetch (`LoopMark`). Each fetch of such a chain waits for the next one, and holds a permit of its host meanwhile, so a
/// proxy that makes every URL longer would take all permits with one request.
///
/// The depth of a chain is the number of its fetches from the host of the newest source. Fetches from other hosts do not count,
/// because a stranger may send a request with the mark of a chain that his own origin holds open. If his hosts counted, the source
/// would be the last of his chain, and the requests that the source's origin makes here would be refused, for every client that waits
/// for the source. Only a host, and the hosts that it asks or redirects to, know the marks of the host's fetches.
///
/// Requests without a mark cost nothing here.
///
/// **Isolation:** a `Mutex`.
package final class LoopDepths: Sendable {
    /// Requests that may be nested in one. A site whose originals come through its own proxy needs one.
    package static let limit = 3

    /// Hosts that are counted separately in a chain. If there are more, only the host of its last source counts.
    private static let mostHosts = 16

    private struct Nested {
        /// The number of fetches from each host in the chain up to this source.
        var depths: [String: Int] = [:]
        /// Requests for this source that are under way.
        var requests = 0
    }

    /// The sources of the nested requests, keyed by the mark of the source's own fetches.
    private let nested = Mutex<[String: Nested]>([:])

    /// Creates it with no request under way.
    package init() {}

    /// Begins a request for this source that came with these marks; `leave` must follow. False if it is nested too deep.
    package func enter(_ source: SourceURL, behind marks: [String]) -> Bool {
        let own = LoopMark.text(for: source)
        return nested.withLock { nested in
            var entry = nested[own] ?? Nested()
            var depths: [String: Int] = [:]
            for mark in marks { depths.merge(nested[mark]?.depths ?? [:], uniquingKeysWith: max) }
            let depth = 1 + depths[source.host, default: 0]
            guard depth <= Self.limit else { return false }
            depths[source.host] = depth
            if depths.count > Self.mostHosts { depths = [source.host: depth] }
            entry.depths.merge(depths, uniquingKeysWith: max)
            entry.requests += 1
            nested[own] = entry
            return true
        }
    }

    /// Ends a request that `enter` accepted.
    package func leave(_ source: SourceURL) {
        let own = LoopMark.text(for: source)
        nested.withLock { nested in
            guard var entry = nested[own] else { return }
            entry.requests -= 1
            nested[own] = entry.requests > 0 ? entry : nil
        }
    }
}
