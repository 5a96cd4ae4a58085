// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Entries of the stream that cannot be read or dated. Each may be any purge, so everything is revalidated for them.
struct UnclearEntries: Sendable, Hashable {
    /// Why the first entry is unclear.
    let reason: GapReason
    /// The ID of the last entry.
    var announced: StreamID
    /// When the latest entry was written, by the clock of its node; nil if an entry does not say.
    var time: Timestamp?

    /// Adds entries that came later.
    mutating func add(_ later: UnclearEntries) {
        announced = later.announced
        if let own = time, let others = later.time { time = max(own, others) } else { time = nil }
    }
}
