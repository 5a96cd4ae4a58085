// SPDX-License-Identifier: Apache-2.0

/// Which of the waiting jobs of one class is next. Benchmarks/order.py simulates both orders.
package enum WaitingOrder: Sendable, Hashable {
    /// **Adaptive LIFO** ("Fail at Scale", Maurer, ACM Queue 13:8, 2015), for jobs whose times are unknown: first
    /// come, first served; while the oldest has waited longer than `waitLimit`, the newest is next, because only
    /// new arrivals still have a client who will see the answer.
    case arrival
    /// **Highest response ratio next** (Brinch Hansen, 1971): the job whose wait is the largest multiple of the time
    /// that it will probably take. Short jobs overtake a long one until the long one has waited long for its length too.
    /// A job that has waited longer than `waitLimit` and ten times as long as it takes comes after all others, the
    /// newest first, as in adaptive LIFO: the queue is an overload then, and that job's client has probably left.
    ///
    /// Expensive jobs keep the order of arrival, so that no expensive job overtakes another that waits for the budget.
    case responseRatio
}
