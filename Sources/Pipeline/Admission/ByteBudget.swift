// SPDX-License-Identifier: Apache-2.0

/// A weighted semaphore: running jobs hold their cost in bytes, together at most the budget. A job that costs
/// more than the budget runs alone, so every job runs at some time.
///
/// With trunk reservation, as telephone networks reserve lines for a class of calls: expensive jobs, which
/// cost more than `expensive`, leave that many bytes to the others.
struct ByteBudget {
    let bytes: Int
    private let expensive: Int
    private var holders = 0
    private(set) var spent = 0
    private var spentOnExpensive = 0

    /// - Parameters:
    ///   - bytes: the most that all running jobs may cost.
    ///   - expensive: a job that costs more is expensive; also the bytes that expensive jobs leave to the
    ///     others.
    init(bytes: Int, expensive: Int) {
        self.bytes = bytes
        self.expensive = expensive
    }

    func isExpensive(_ cost: Int) -> Bool { cost > expensive }

    func admits(_ cost: Int) -> Bool {
        holders == 0
            || cost <= bytes - spent && (!isExpensive(cost) || cost <= bytes - expensive - spentOnExpensive)
    }

    /// True if a job fits into the reserve for ordinary jobs, where it takes nothing that an expensive job might wait for.
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
