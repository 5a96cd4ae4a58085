// SPDX-License-Identifier: Apache-2.0

/// Size-interval task assignment (Harchol-Balter, Crovella and Murta, 1999) with two sizes: long jobs use
/// only some of the permits, so that a short job never waits behind long ones alone.
///
/// With a single permit this would not help. So while others wait, the lane pauses after a long job for as long
/// as that job took: long jobs get half the time of a single permit.
struct LongLane {
    private var permits: Int
    private var long: Int64
    private var running = 0
    /// When the pause ends, in microseconds of the clock.
    private var rested: Int64 = 0

    /// - Parameters:
    ///   - permits: long jobs that may run at once.
    ///   - long: microseconds; a job with a longer estimate is long.
    init(permits: Int, long: Int64) {
        self.permits = permits
        self.long = long
    }

    /// - Parameter running: the estimates of all jobs that run.
    mutating func replaceLimits(permits: Int, long: Int64, running times: [Int64]) {
        (self.permits, self.long) = (permits, long)
        running = times.count { isLong($0) }
    }

    /// - Parameter time: the estimate in microseconds.
    func isLong(_ time: Int64) -> Bool { time > long }

    /// - Parameter othersWait: true if ordinary jobs wait.
    func admits(_ time: Int64, othersWait: Bool, now: Int64) -> Bool {
        !isLong(time) || running < permits && (now >= rested || !othersWait)
    }

    mutating func take(_ time: Int64) {
        if isLong(time) { running += 1 }
    }

    /// - Parameter started: when the job started, in microseconds of the clock.
    mutating func giveBack(_ time: Int64, started: Int64, now: Int64) {
        guard isLong(time) else { return }
        running -= 1
        rested = now + (now - started)
    }
}
