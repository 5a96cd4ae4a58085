// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// When keys are requested again: well before they expire; after a failure, or when a store refuses them, soon at first, and then
/// ever later.
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
    /// The same for keys that a store has refused as well. Other keys may come soon, because such keys are at their end.
    private static let longestEnded = Duration.seconds(60)
    private static let longestPause = 60
    private static let leastPatience = Duration.seconds(30)

    private var failures = 0
    /// How long after their arrival keys are not requested again because a store refuses them: half a minute; each time that keys
    /// were requested for a refusal twice as long, up to a quarter of an hour, until a store refuses the keys no more. The platform
    /// may give the same keys again, or others that this store never knows.
    package private(set) var patience = KeySchedule.leastPatience
    /// True if the present keys differ from those before.
    private var areOther = true
    /// True if a store has refused the present keys.
    private var areRefused = false

    /// True if the latest request failed.
    package var isFailing: Bool { failures > 0 }

    package init() {}

    /// The pause after keys that were received at `now`: until five minutes before their end, or half of the remaining time if
    /// that is longer; at most a quarter of an hour.
    /// - Parameter areOther: true if the keys differ from those before.
    package mutating func pause(
        afterKeysUntil end: Timestamp?, now: Timestamp, areOther: Bool
    ) -> Duration {
        failures = 0
        if areRefused { patience = min(patience * 2, Self.unknown) }
        (self.areOther, areRefused) = (areOther, false)
        guard let end else { return Self.unknown }
        let (left, isOverflow) = end.milliseconds.subtractingReportingOverflow(now.milliseconds)
        guard !isOverflow, left > 0 else { return max(Self.ended, min(patience, Self.longestEnded)) }
        // Cannot trap: half of the time is less than the time, and the margin is subtracted from a positive number.
        let pause = Duration.milliseconds(max(1_000, max(left - Self.margin, left / 2)))
        return min(pause, Self.unknown)
    }

    /// Notes that a pause is over.
    /// - Parameters:
    ///   - areRefused: a store has refused the keys.
    ///   - areProven: no store had refused them for as long as `patience`.
    /// - Returns: true for the first of several refusals, which operators should hear of.
    package mutating func noteRest(areRefused: Bool, areProven: Bool) -> Bool {
        if !areRefused || areProven && areOther { patience = Self.leastPatience }
        defer { self.areRefused = areRefused }
        return areRefused && !self.areRefused && patience == Self.leastPatience
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
    /// The longest piece. A write to a store is tried for 22 seconds, so its last tries have the keys that a refusal brings.
    static let piece = Duration.seconds(10)

    private var rest: Duration
    private let end: Timestamp
    /// For how long a refusal does not end the pause.
    private let patience: Duration
    private var passed = Duration.zero
    /// True once no store had refused the keys for as long as the patience.
    package private(set) var areProven = false

    /// A pause that begins at `now`.
    /// - Parameter patience: for how long a store's refusal of the keys does not end the pause.
    package init(_ pause: Duration, from now: Timestamp, patience: Duration) {
        (rest, self.patience) = (pause, patience)
        // One second is added, because fractions of seconds are left out.
        end = now.adding(seconds: pause.components.seconds + 1)
    }

    /// The next piece; nil once the pause is over, by its pieces or by the wall clock, or, after `patience`, because a store has
    /// refused the keys.
    package mutating func next(now: Timestamp, areRefused: Bool) -> Duration? {
        let isPatient = passed < patience
        if !isPatient, !areRefused { areProven = true }
        guard rest > .zero, now < end, isPatient || !areRefused else { return nil }
        let piece = min(rest, Self.piece)
        rest -= piece
        passed += piece
        return piece
    }
}
