// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// An origin begins to rest, goes on to, or is well again: for the log.
package struct OriginHealthEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case rests(OriginRest.Cause)
        case probeFailed(OriginRest.Cause)
        case recovered
    }

    package var origin: SourceOrigin
    package var kind: Kind
    /// Milliseconds until it is asked again.
    package var rest: Int

    init(origin: SourceOrigin, _ change: OriginHealth.Change) {
        self.origin = origin
        switch change {
        case .rests(let cause, let span): (kind, rest) = (.rests(cause), Int(span / 1000))
        case .probeFailed(let cause, let span): (kind, rest) = (.probeFailed(cause), Int(span / 1000))
        case .recovered: (kind, rest) = (.recovered, 0)
        }
    }
}
