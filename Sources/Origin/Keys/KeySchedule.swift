// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// When keys are asked for again: well before they end, and after a failure soon, and then ever later.
package struct KeySchedule: Sendable {
    /// Before the end of keys. Amazon gives new ones at least five minutes before.
    static let margin: Int64 = 300_000
    /// After keys that do not say when they end, and at most after others: their end is told by the wall clock, which may
    /// be corrected meanwhile.
    static let unknown = Duration.seconds(900)
    /// After keys that have ended by our clock: one that is ahead must not have them asked for each second.
    static let ended = Duration.seconds(30)
    private static let longestPause = 60

    private var failures = 0

    /// True if the latest request failed.
    package var isFailing: Bool { failures > 0 }

    /// Nothing has been asked.
    package init() {}

    /// The pause after keys that were given at `now`: until five minutes before their end, or half of what is left if that is
    /// longer; a quarter of an hour at most.
    package mutating func pause(afterKeysUntil end: Timestamp?, now: Timestamp) -> Duration {
        failures = 0
        guard let end else { return Self.unknown }
        let (left, isOverflow) = end.milliseconds.subtractingReportingOverflow(now.milliseconds)
        guard !isOverflow, left > 0 else { return Self.ended }
        // Cannot trap: half of it is less, and the margin is subtracted of a positive number.
        let pause = Duration.milliseconds(max(1_000, max(left - Self.margin, left / 2)))
        return min(pause, Self.unknown)
    }

    /// The pause after a failure: 1, 2, 4 … 60 seconds.
    package mutating func pauseAfterFailure() -> Duration {
        failures = min(failures + 1, 7)  // Cannot trap: at most 7.
        return .seconds(min(Self.longestPause, 1 << (failures - 1)))
    }
}

/// A pause in pieces, between which the wall clock is looked at: on a machine that was stopped, as a virtual one, only that
/// tells how much time has passed.
package struct KeyPause: Sendable {
    /// The longest piece.
    static let piece = Duration.seconds(30)

    private var rest: Duration
    private let end: Timestamp

    /// A pause that begins at `now`.
    package init(_ pause: Duration, from now: Timestamp) {
        rest = pause
        // A second more, since parts of seconds are left out.
        end = now.adding(seconds: pause.components.seconds + 1)
    }

    /// The next piece; nil once the pause is over, by its pieces or by the wall clock.
    package mutating func next(now: Timestamp) -> Duration? {
        guard rest > .zero, now < end else { return nil }
        let piece = min(rest, Self.piece)
        rest -= piece
        return piece
    }
}
