// SPDX-License-Identifier: Apache-2.0

/// Measures how long a thread's present call to the disk lasts, as seen by another thread.
///
/// Only the watching thread reads the clock, once a second: a call that two of its looks find has lasted at least from the first
/// look to the second.
struct CallWatch: Sendable {
    /// Calls begun so far.
    private var number = 0
    private(set) var isBusy = false
    /// The number of the call that the last look found; 0 for none.
    private var seen = 0
    /// When a look first found that call, in milliseconds.
    private var since = 0
    /// Milliseconds that are not counted, because the call was granted them.
    private var granted = 0
    /// Milliseconds that the call had lasted at the last look, without those granted; 0 if there was no call.
    private(set) var lasting = 0

    /// - Parameter granted: milliseconds that are not counted, because the call has much to do.
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

    /// Milliseconds that the present call has lasted at least, without those granted; 0 if there is no call.
    /// - Parameter now: milliseconds of a clock that never goes back.
    mutating func look(at now: Int) -> Int {
        guard isBusy else { return 0 }
        if seen != number { (seen, since) = (number, now) }
        lasting = max(0, now - since - granted)
        return lasting
    }
}
