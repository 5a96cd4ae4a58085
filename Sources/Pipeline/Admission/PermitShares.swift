// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// Fair sharing of permits among clients and sites, so that none takes all of them, however many names and
/// ports it uses.
///
/// - **Dynamic thresholds** (Choudhury and Hahne, 1998): a client or a site may hold three times as many
/// permits as are free. A client alone gets three quarters of all permits, two get three sevenths each, and the next client always
/// finds some. The number of clients need not be known.
/// - **A reserve**: the last eighth is for hosts that have answered well within ten minutes; such a host may
///   hold that many for any client. A host that answers in time returns its permit at once.
///
/// At most 1,024 hosts with good answers are remembered; the oldest eighth of them is forgotten at once.
struct PermitShares: Sendable {
    /// Permits that one client or site may hold for each free permit.
    private static let factor = 3
    /// The reserve is all permits divided by this number.
    private static let reserved = 8
    /// Microseconds for which a good answer is remembered.
    private static let memory: Int64 = 600_000_000
    private static let capacity = 1024
    /// Microseconds within which a host must answer to use the reserve.
    private static let quick: Int64 = 2_000_000

    /// All permits, free or held.
    var permits: Int
    private var byClient = Tally<Asker>()
    private var bySite = Tally<Site>()
    /// When each group last answered well, in microseconds of the clock.
    private var good: [String: Int64] = [:]

    init(permits: Int) { self.permits = permits }

    private var reserve: Int { permits / Self.reserved }

    func held(by client: Asker) -> Int { byClient[client] }

    /// True if the account may have one more permit.
    /// - Parameters:
    ///   - free: free permits, at least one.
    ///   - running: permits that the group holds.
    func admits(_ account: PermitAccount, _ group: String, running: Int, free: Int, now: Int64) -> Bool {
        let limit = free.multipliedReportingOverflow(by: Self.factor)
        let most = limit.overflow ? .max : limit.partialValue
        if free > reserve, held(by: account.client) < most, bySite[account.site] < most { return true }
        return running < reserve && isGood(group, now: now)
    }

    mutating func take(_ account: PermitAccount) {
        byClient.add(account.client)
        bySite.add(account.site)
    }

    /// - Parameters:
    ///   - isGood: true for a good answer; nil if that is unknown.
    ///   - run: microseconds for which the permit was held.
    mutating func giveBack(_ account: PermitAccount, _ group: String, isGood: Bool?, run: Int64, now: Int64) {
        byClient.remove(account.client)
        bySite.remove(account.site)
        switch isGood.map({ $0 && run <= Self.quick }) {
        case true?:
            if good[group] == nil, good.count >= Self.capacity { makeRoom(now) }
            good[group] = now
        case false?: good[group] = nil
        case nil: break
        }
    }

    private func isGood(_ group: String, now: Int64) -> Bool {
        good[group].map { now - $0 < Self.memory } ?? false
    }

    private mutating func makeRoom(_ now: Int64) {
        good = good.filter { now - $0.value < Self.memory }
        if good.count >= Self.capacity { good.forgetEighth { $0 } }
    }
}
