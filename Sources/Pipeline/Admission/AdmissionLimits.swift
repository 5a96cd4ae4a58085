// SPDX-License-Identifier: Apache-2.0

/// The limits of one kind of work: how much is done at once, and how much may wait for it.
package struct AdmissionLimits: Sendable, Hashable {
    /// Jobs at once.
    package var slots: Int
    /// Jobs at once of one group (an origin, an encoder with threads of its own); the others find slots then. Jobs of no
    /// group, which is an empty name, share nothing but the slots in all.
    package var slotsPerGroup: Int
    /// Jobs of one group that begin in a second; those beyond wait. 0: as many as there are slots.
    package var ratePerGroup: Double
    /// Bytes that all jobs at once may cost together. One job alone is always admitted.
    package var budget: Int
    /// Bytes. A job that costs more is expensive. Expensive jobs leave so much of the budget to the others, which go before them as long
    /// as none is passed over more than `overtaking` times. An expensive job takes seconds, and a small one should not wait for a
    /// queue of them.
    package var expensive: Int
    /// Microseconds. A job that is expected to take longer is expensive as well, and takes one of `longSlots`.
    package var long: Int64
    /// Those jobs at once, so that the other slots stay for the rest. While others wait, such jobs begin no sooner than as
    /// long after the last one as that one took: of a single slot they have half the time.
    package var longSlots: Int
    /// Admissions of jobs that are not expensive, one after the other, while an expensive one waits.
    package var overtaking = 4
    /// Jobs waiting. Beyond, one of the lowest class goes, an expensive one before others: the oldest where that has waited longer
    /// than `patience`, else the newest.
    package var queueLength: Int
    /// Jobs waiting of one group, by the same rule.
    package var queueLengthPerGroup: Int
    /// Microseconds after which a waiting job is refused: its client has given up by then, or should.
    package var queueAge: Int64
    /// Microseconds. While the oldest job of a class has waited longer than this, the newest is served first. The queue is
    /// then overload and not a burst, and only new arrivals still have a client who will see the answer.
    package var patience: Int64
    /// Microseconds of work that may wait once the queue has not been empty for longer than `patience`. Such a queue is only
    /// as long as it takes to keep the slots busy: a newcomer would only wait for its turn, and a refusal now costs less than
    /// one later. A burst may still be as long as `queueLength`.
    package var standingWork: Int64

    package init(
        slots: Int, slotsPerGroup: Int = .max, ratePerGroup: Double = 0, budget: Int = .max,
        expensive: Int = .max,
        long: Int64 = .max, longSlots: Int = .max, queueLength: Int = 1024, queueLengthPerGroup: Int = .max,
        queueAge: Int64 = 10_000_000,
        patience: Int64 = 2_000_000, standingWork: Int64 = .max
    ) {
        self.slots = slots
        self.slotsPerGroup = slotsPerGroup
        self.ratePerGroup = ratePerGroup
        self.budget = budget
        self.expensive = expensive
        self.long = long
        self.longSlots = longSlots
        self.queueLength = queueLength
        self.queueLengthPerGroup = queueLengthPerGroup
        self.queueAge = queueAge
        self.patience = patience
        self.standingWork = standingWork
    }
}
