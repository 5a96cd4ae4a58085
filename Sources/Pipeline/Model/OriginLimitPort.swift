// SPDX-License-Identifier: Apache-2.0

/// Limits of origins that all nodes of a fleet keep together, beside each node's own.
///
/// A slot ends by itself some seconds after its node has died.
package protocol OriginLimitPort: Sendable {
    /// Asks once whether a fetch may begin, and does not wait for others. The adapter renews the slot until it is left.
    /// - Parameter name: the origin's, letters and digits.
    func enter(_ name: String, _ limits: OriginLimits) async -> OriginVerdict
    /// Gives a slot back. Must not block.
    func leave(_ slot: OriginSlot)
    /// Fetches under way at all nodes; nil if it cannot be told.
    func running(_ name: String) async -> Int?
}

/// The limits of one origin.
package struct OriginLimits: Sendable, Hashable {
    /// Fetches at once.
    package let fetches: Int
    /// Fetches begun in a second; 0 = any number.
    package let rate: Double
}

/// The right to one fetch.
package struct OriginSlot: Sendable, Hashable {
    /// Tells it from all others.
    package let token: String

    /// Held from now on.
    package init(token: String) { self.token = token }
}

/// The answer to the question whether a fetch may begin.
package enum OriginVerdict: Sendable, Hashable {
    case entered(OriginSlot)
    /// The other fetches leave no room.
    case full
    /// Microseconds until the rate may allow it.
    case early(Int64)
    /// The fleet cannot be asked at present.
    case unavailable
}
