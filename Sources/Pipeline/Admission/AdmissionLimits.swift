// SPDX-License-Identifier: Apache-2.0

/// Limits of one kind of work: how much runs at once, and how much may wait.
package struct AdmissionLimits: Sendable, Hashable {
    /// Jobs that run at once.
    package var permits: Int
    /// Running jobs of one group (an origin, an encoder with threads of its own), so that other groups find
    /// permits. Jobs with an empty group share only the permits as a whole.
    package var permitsPerGroup: Int
    /// Jobs of one group that may start in a second; the others wait. 0 = any number.
    package var ratePerGroup: Double
    /// Bytes that all running jobs may cost together. A single job is always admitted.
    package var budget: Int
    /// Bytes: a job that costs more is expensive. Expensive jobs leave this much of the budget to the others,
    /// which overtake them up to `overtaking` times in a row. An expensive job takes seconds, and a small job
    /// should not wait for a queue of them.
    package var expensive: Int
    /// Microseconds: a job that will probably take longer is expensive too, and needs one of `longPermits`.
    package var long: Int64
    /// Long jobs that run at once, so that the other permits stay free of them. While others wait, a long job
    /// starts only after a pause as long as the last long job: long jobs get half the time of a single permit.
    package var longPermits: Int
    /// Jobs that may overtake a waiting expensive job, one after the other.
    var overtaking = 4
    /// Jobs that may wait. Beyond that, one of the lowest class leaves, an expensive one before others: the
    /// oldest if it has waited longer than `waitLimit`, otherwise the newest.
    package var queueLength: Int
    /// Jobs of one group that may wait, by the same rule.
    package var queueLengthPerGroup: Int
    /// Microseconds until a waiting job is refused; its client has probably left by then.
    package var queueAge: Int64
    /// Which of the waiting jobs of one class is next.
    package var order: WaitingOrder
    /// Microseconds: a job that has waited longer is overdue, because the queue is an overload then and no burst.
    package var waitLimit: Int64
    /// Microseconds of work that may wait once the queue has not been empty for longer than `waitLimit`. Such a
    /// queue needs to keep the permits busy and no more: newcomers would only wait, and an early refusal costs
    /// less than a late one. A burst may still be as long as `queueLength`.
    package var standingWork: Int64

    /// Every limit but `permits` defaults to none, or to the value of a typical server; times in microseconds.
    package init(
        permits: Int, permitsPerGroup: Int = .max, ratePerGroup: Double = 0, budget: Int = .max,
        expensive: Int = .max,
        long: Int64 = .max, longPermits: Int = .max, queueLength: Int = 1024, queueLengthPerGroup: Int = .max,
        queueAge: Int64 = 10_000_000,
        order: WaitingOrder = .arrival, waitLimit: Int64 = 2_000_000, standingWork: Int64 = .max
    ) {
        self.permits = permits
        self.permitsPerGroup = permitsPerGroup
        self.ratePerGroup = ratePerGroup
        self.budget = budget
        self.expensive = expensive
        self.long = long
        self.longPermits = longPermits
        self.queueLength = queueLength
        self.queueLengthPerGroup = queueLengthPerGroup
        self.queueAge = queueAge
        self.order = order
        self.waitLimit = waitLimit
        self.standingWork = standingWork
    }
}
