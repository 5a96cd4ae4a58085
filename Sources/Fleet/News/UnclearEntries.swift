// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Entries of the stream that cannot be read or dated, and so may be any purge: everything is revalidated for them.
struct UnclearEntries: Sendable, Hashable {
    /// Why the first of them is unclear.
    let reason: GapReason
    /// The id of the last of them.
    var announced: StreamID
    /// When the latest was written, by its node's clock; nil if one of them does not say.
    var time: Timestamp?

    /// Adds unclear entries that came later.
    mutating func add(_ later: UnclearEntries) {
        announced = later.announced
        if let own = time, let others = later.time { time = max(own, others) } else { time = nil }
    }
}
