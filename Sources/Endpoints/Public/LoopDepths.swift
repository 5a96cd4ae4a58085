// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// How deep requests are nested: an origin that is asked for a picture asks here for another source, and passes the mark of the
/// fetch on (`LoopMark`). Each fetch of such a chain waits for the next, and holds a permit of its host meanwhile, so a proxy that
/// makes every URL longer would take all of them with one request.
///
/// A chain is as deep as it has fetches from the source's own host. A stranger may send a request behind the mark of a chain that
/// his own origin holds open: were his hosts counted, the source would be the last of his chain, and what its origin asks here
/// would be refused, for every client that waits for the source. The marks of a host's fetches are known to that host alone, and to
/// those that it asks or redirects to.
///
/// Requests without a mark cost nothing here.
///
/// **Isolation:** a `Mutex`.
package final class LoopDepths: Sendable {
    /// Requests that may be nested in one. A site whose originals come by its own proxy needs one.
    package static let limit = 3

    /// Hosts of a chain that are told apart: with more, only that of its last source counts.
    private static let mostHosts = 16

    private struct Nested {
        /// Of the chain up to this source, the fetches from each host.
        var depths: [String: Int] = [:]
        /// Requests for the source that are under way.
        var requests = 0
    }

    /// The sources of the nested requests, by the mark that their own fetches have.
    private let nested = Mutex<[String: Nested]>([:])

    /// No request is under way.
    package init() {}

    /// A request for this source that came with these marks begins; `leave` must follow. False if it is nested too deep.
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

    /// A request that `enter` has let in is over.
    package func leave(_ source: SourceURL) {
        let own = LoopMark.text(for: source)
        nested.withLock { nested in
            guard var entry = nested[own] else { return }
            entry.requests -= 1
            nested[own] = entry.requests > 0 ? entry : nil
        }
    }
}
