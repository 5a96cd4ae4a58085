// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// When the parts of an exchange began and ended: by the monotonic clock for the log and the metrics, and by the wall clock for
/// the answer's age.
struct ExchangeTimes {
    let started: Ticks
    /// The time that earlier hops took to connect.
    private var connectBefore = 0
    private var timing = DownloadReply.Timing()
    /// When the request was sent whose answer is used.
    var requestTime: Timestamp
    /// When the head of that answer came.
    var responseTime: Timestamp

    init(at now: Ticks, _ moment: Timestamp) {
        started = now
        (requestTime, responseTime) = (moment, moment)
    }

    mutating func hopped() { connectBefore = timing.connect }

    /// - Parameter time: the time since the beginning of the hop.
    mutating func connected(after time: Ticks, _ moment: Timestamp) {
        timing.connect = connectBefore + Int(time)
        requestTime = moment
    }

    mutating func headArrived(at now: Ticks, _ moment: Timestamp) {
        timing.firstByte = Int(now - started)
        responseTime = moment
    }

    mutating func ended(at now: Ticks) -> DownloadReply.Timing {
        timing.total = Int(now - started)
        return timing
    }
}
