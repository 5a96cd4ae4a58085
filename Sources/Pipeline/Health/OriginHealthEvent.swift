// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// An origin begins to rest, goes on to, or is well again: for the log.
package struct OriginHealthEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case rests, probeFailed, recovered }

    package var origin: SourceOrigin
    package var kind: Kind
    /// Milliseconds until requests that can do without the origin ask it again.
    package var rest: Int
    /// Only for the client whose requests failed; false: for everybody.
    package var isForOneClient: Bool

    init(origin: SourceOrigin, _ change: OriginHealth.Change, isForOneClient: Bool) {
        self.origin = origin
        self.isForOneClient = isForOneClient
        switch change {
        case .rests(let span): (kind, rest) = (.rests, Int(span / 1000))
        case .probeFailed(let span): (kind, rest) = (.probeFailed, Int(span / 1000))
        case .recovered: (kind, rest) = (.recovered, 0)
        }
    }
}
