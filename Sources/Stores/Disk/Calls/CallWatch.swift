// SPDX-License-Identifier: Apache-2.0

/// Measures how long a thread's present call to the disk lasts, as seen by another thread.
///
/// Calls do not read the clock. The watching thread does, at each of its looks, once a second: a call that two looks find has
/// lasted at least from the first to the second.
struct CallWatch: Sendable {
    /// Calls begun so far.
    private var number = 0
    private(set) var isBusy = false
    /// The call that the last look has found; 0 for none.
    private var seen = 0
    /// The time of the first look that found it, in milliseconds.
    private var since = 0
    /// Milliseconds that are no part of the present call's time.
    private var granted = 0
    /// Milliseconds that the present call had lasted at the last look, beyond what it was granted; 0 for none.
    private(set) var lasting = 0

    /// - Parameter granted: milliseconds that the call may take anyway, because it does much.
    mutating func begin(granted: Int = 0) {
        number &+= 1
        isBusy = true
        lasting = 0
        self.granted = granted
    }

    mutating func end() {
        isBusy = false
        lasting = 0
    }

    /// Milliseconds that the call has lasted at least, beyond what it was granted; 0 without one.
    /// - Parameter now: milliseconds of a clock that never goes back.
    mutating func look(at now: Int) -> Int {
        guard isBusy else { return 0 }
        if seen != number { (seen, since) = (number, now) }
        lasting = max(0, now - since - granted)
        return lasting
    }
}
