// SPDX-License-Identifier: Apache-2.0

/// Limits of origins that all nodes of a fleet keep together, beside each node's own.
///
/// A slot ends by itself some seconds after its node has died.
package protocol OriginLimitPort: Sendable {
    /// Asks once whether a fetch may begin, and does not wait for others. The adapter renews the slot until `leave`.
    /// - Parameter name: the origin's name, of letters and digits.
    func enter(_ name: String, _ limits: OriginLimits) async -> OriginVerdict
    /// Gives a slot back. Must not block.
    func leave(_ slot: OriginSlot)
    /// Fetches from the origin that are under way at all nodes; nil if that cannot be told.
    func running(_ name: String) async -> Int?
}

/// The limits of one origin.
package struct OriginLimits: Sendable, Hashable {
    /// Fetches at once.
    package let fetches: Int
    /// Fetches begun in a second; 0 = any number.
    package let rate: Double
}

/// A slot: the right to one fetch.
package struct OriginSlot: Sendable, Hashable {
    /// Distinguishes this slot from all others.
    package let token: String

    /// Creates a slot that is held from now on.
    package init(token: String) { self.token = token }
}

/// The answer to the question whether a fetch may begin.
package enum OriginVerdict: Sendable, Hashable {
    case entered(OriginSlot)
    /// The fetches under way take all slots.
    case full
    /// The rate allows no fetch yet; microseconds until it may.
    case early(Int64)
    /// The fleet cannot be asked at present.
    case unavailable
}
