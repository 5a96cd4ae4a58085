// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// When the parts of an exchange began and ended: by the monotonic clock for the log and the metrics, and by the wall clock for
/// the answer's age.
struct ExchangeTimes {
    let started: Ticks
    /// When the current hop began.
    private(set) var hopStarted: Ticks
    private var sentAt: Ticks
    private var headAt: Ticks
    /// The time that the hops before took to connect.
    private var connectBefore = 0
    private var timing = DownloadReply.Timing()
    /// When the request was sent whose answer counts.
    var requestTime: Timestamp
    /// When the head of that answer came.
    var responseTime: Timestamp

    init(at now: Ticks, _ moment: Timestamp) {
        (started, hopStarted, sentAt, headAt) = (now, now, now, now)
        (requestTime, responseTime) = (moment, moment)
    }

    /// From the request to its answer's head.
    var wait: Ticks { headAt - sentAt }

    mutating func hopped(at now: Ticks) {
        connectBefore = timing.connect
        hopStarted = now
    }

    mutating func connected(at now: Ticks, _ moment: Timestamp) {
        sentAt = now
        timing.connect = connectBefore + Int(now - hopStarted)
        requestTime = moment
    }

    mutating func headArrived(at now: Ticks, _ moment: Timestamp) {
        headAt = now
        timing.firstByte = Int(now - started)
        responseTime = moment
    }

    mutating func ended(at now: Ticks) -> DownloadReply.Timing {
        timing.total = Int(now - started)
        return timing
    }
}
