// SPDX-License-Identifier: Apache-2.0

/// Totals of fetches that asked the fleet for a slot, since the start.
package struct OriginTurnStatistics: Sendable, Hashable {
    package var granted = 0
    /// The fleet gave no slot before the fetch's deadline, or before its clients left.
    package var refused = 0
    /// The fleet did not answer, so the node's own limits applied alone.
    package var unavailable = 0
    /// Microseconds that fetches have waited for a slot.
    package var waited = 0

    mutating func count(_ verdict: OriginVerdict, waited microseconds: Int64) {
        switch verdict {
        case .entered: granted += 1
        case .full, .early: refused += 1
        case .unavailable: unavailable += 1
        }
        waited &+= Int(clamping: microseconds)
    }
}
