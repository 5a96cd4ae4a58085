// SPDX-License-Identifier: Apache-2.0

/// A weighted semaphore: jobs hold their cost in bytes, and together at most the budget. A job that costs more than the
/// budget runs when it is alone, so every job runs at some time.
///
/// With a trunk reservation, as telephone networks keep lines free for calls of one class: dear jobs, those that cost more
/// than `dear`, leave so many bytes to the others.
struct ByteBudget {
    private let bytes: Int
    private let dear: Int
    private var holders = 0
    private var spent = 0
    private var spentByDear = 0

    /// - Parameters:
    ///   - bytes: the limit for the cost of all jobs at once.
    ///   - dear: a job that costs more is dear. Dear jobs leave as many bytes to the others.
    init(bytes: Int, dear: Int) {
        self.bytes = bytes
        self.dear = dear
    }

    func isDear(_ cost: Int) -> Bool { cost > dear }

    func admits(_ cost: Int) -> Bool {
        holders == 0
            || cost <= bytes - spent && (!isDear(cost) || cost <= bytes - dear - spentByDear)
    }

    /// Whether a job fits into the reserve of the others. Then it takes nothing that a dear job might wait for.
    func fitsReserve(_ cost: Int) -> Bool { cost <= dear - (spent - spentByDear) }

    mutating func take(_ cost: Int) {
        holders += 1
        spent += cost
        if isDear(cost) { spentByDear += cost }
    }

    mutating func giveBack(_ cost: Int) {
        holders -= 1
        spent -= cost
        if isDear(cost) { spentByDear -= cost }
    }
}
