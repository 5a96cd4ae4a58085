// SPDX-License-Identifier: Apache-2.0

/// A weighted semaphore: jobs hold their cost in bytes, and together at most the budget. A job that costs more than the
/// budget runs when it is alone, so every job runs at some time.
///
/// With a trunk reservation, as telephone networks keep lines free for calls of one class: expensive jobs, those that cost more
/// than `expensive`, leave so many bytes to the others.
struct ByteBudget {
    private let bytes: Int
    private let expensive: Int
    private var holders = 0
    private var spent = 0
    private var spentOnExpensive = 0

    /// - Parameters:
    ///   - bytes: the limit for the cost of all jobs at once.
    ///   - expensive: a job that costs more is expensive. Expensive jobs leave as many bytes to the others.
    init(bytes: Int, expensive: Int) {
        self.bytes = bytes
        self.expensive = expensive
    }

    func isExpensive(_ cost: Int) -> Bool { cost > expensive }

    func admits(_ cost: Int) -> Bool {
        holders == 0
            || cost <= bytes - spent && (!isExpensive(cost) || cost <= bytes - expensive - spentOnExpensive)
    }

    /// Whether a job fits into the reserve of the others. Then it takes nothing that an expensive job might wait for.
    func fitsReserve(_ cost: Int) -> Bool { cost <= expensive - (spent - spentOnExpensive) }

    mutating func take(_ cost: Int) {
        holders += 1
        spent += cost
        if isExpensive(cost) { spentOnExpensive += cost }
    }

    mutating func giveBack(_ cost: Int) {
        holders -= 1
        spent -= cost
        if isExpensive(cost) { spentOnExpensive -= cost }
    }
}
