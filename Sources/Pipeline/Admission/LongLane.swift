// SPDX-License-Identifier: Apache-2.0

/// Size-interval task assignment (Harchol-Balter, Crovella and Murta, 1999), of two sizes: long jobs take some of the slots
/// only, so that a short job never waits for a slot behind long ones alone.
///
/// Where one slot is all there is, this would not help. So while others wait, the lane rests after a long job for as long as
/// that job took: long jobs have half the time of a single slot.
struct LongLane {
    private let slots: Int
    private let long: Int64
    private var running = 0
    /// The end of the rest, in microseconds.
    private var rested: Int64 = 0

    /// - Parameters:
    ///   - slots: long jobs at once.
    ///   - long: microseconds; a job that is expected to take longer is long.
    init(slots: Int, long: Int64) {
        self.slots = slots
        self.long = long
    }

    /// - Parameter time: microseconds that the job is expected to take.
    func isLong(_ time: Int64) -> Bool { time > long }

    /// - Parameter othersWait: jobs wait that are not expensive.
    func admits(_ time: Int64, othersWait: Bool, now: Int64) -> Bool {
        !isLong(time) || running < slots && (now >= rested || !othersWait)
    }

    mutating func take(_ time: Int64) {
        if isLong(time) { running += 1 }
    }

    /// - Parameter started: when the job began, in microseconds.
    mutating func giveBack(_ time: Int64, started: Int64, now: Int64) {
        guard isLong(time) else { return }
        running -= 1
        rested = now + (now - started)
    }
}
