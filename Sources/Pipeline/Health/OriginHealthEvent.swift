// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// A change of an origin's health, for the log.
package struct OriginHealthEvent: Sendable, Hashable {
    /// The change.
    package enum Kind: Sendable, Hashable { case rests, probeFailed, recovered }

    /// The origin whose health changed.
    package var origin: SourceOrigin
    /// The change.
    package var kind: Kind
    /// Milliseconds until requests that can do without the origin ask it again; 0 after a recovery.
    package var rest: Int
    /// True if the origin rests only for the client whose requests failed.
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
