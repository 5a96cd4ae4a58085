// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// When keys are requested again: well before they expire; after a failure soon at first, and then ever later.
package struct KeySchedule: Sendable {
    /// How long before the keys' end new ones are requested, in milliseconds. Amazon has new keys at least five minutes before
    /// the end.
    static let margin: Int64 = 300_000
    /// The pause after keys without an end, and the longest pause after others, because an end is in wall-clock time, and the
    /// clock may be corrected meanwhile.
    static let unknown = Duration.seconds(900)
    /// The pause after keys that have already expired by this machine's clock: a clock that is ahead must not cause a request
    /// each second.
    static let ended = Duration.seconds(30)
    private static let longestPause = 60

    private var failures = 0

    /// True if the latest request failed.
    package var isFailing: Bool { failures > 0 }

    package init() {}

    /// The pause after keys that were received at `now`: until five minutes before their end, or half of the remaining time if
    /// that is longer; at most a quarter of an hour.
    package mutating func pause(afterKeysUntil end: Timestamp?, now: Timestamp) -> Duration {
        failures = 0
        guard let end else { return Self.unknown }
        let (left, isOverflow) = end.milliseconds.subtractingReportingOverflow(now.milliseconds)
        guard !isOverflow, left > 0 else { return Self.ended }
        // Cannot trap: half of the time is less than the time, and the margin is subtracted from a positive number.
        let pause = Duration.milliseconds(max(1_000, max(left - Self.margin, left / 2)))
        return min(pause, Self.unknown)
    }

    /// The pause after a failure: 1, 2, 4 … 60 seconds.
    package mutating func pauseAfterFailure() -> Duration {
        failures = min(failures + 1, 7)  // Cannot trap: at most 7.
        return .seconds(min(Self.longestPause, 1 << (failures - 1)))
    }
}

/// A pause in pieces, between which the wall clock is checked: after a (virtual) machine was suspended, only the wall clock shows
/// how much time has passed. A store may refuse keys before their announced end, so between the pieces that is looked at as well.
package struct KeyPause: Sendable {
    /// The longest piece.
    static let piece = Duration.seconds(30)

    private var rest: Duration
    private let end: Timestamp
    private var hasBegun = false

    /// A pause that begins at `now`.
    package init(_ pause: Duration, from now: Timestamp) {
        rest = pause
        // One second is added, because fractions of seconds are left out.
        end = now.adding(seconds: pause.components.seconds + 1)
    }

    /// The next piece; nil once the pause is over, by its pieces or by the wall clock, or after the first piece because a store has
    /// refused the keys.
    package mutating func next(now: Timestamp, areRefused: Bool = false) -> Duration? {
        guard rest > .zero, now < end, !(areRefused && hasBegun) else { return nil }
        hasBegun = true
        let piece = min(rest, Self.piece)
        rest -= piece
        return piece
    }
}
