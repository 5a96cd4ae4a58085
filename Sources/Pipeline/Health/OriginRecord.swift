// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// One origin's breakers: one for all clients together, and one for each client whose requests alone failed.
///
/// A client can name URLs that always fail, on any host. So failures that a URL can cause count for all clients only if several
/// clients met them without a success in between. Failures that only one client met make the origin rest for that client. Behind a
/// proxy that is not trusted to name its clients, all requests count as one client, and both breakers agree.
struct OriginRecord: Sendable {
    private(set) var all: OriginHealth
    private(set) var each: [ClientKey?: OriginHealth] = [:]

    init(_ policy: HealthPolicy) {
        all = OriginHealth(share: policy.shareOfClient, clients: policy.clients)
    }

    var isWell: Bool { all.isWell && each.isEmpty }

    /// True if the origin rests or is probed, for all clients or for one.
    var isSick: Bool { all.state != .closed || each.values.contains { $0.state != .closed } }

    /// The number of clients for which the origin rests or is probed while others may ask it.
    var restingClients: Int { each.values.count { $0.state != .closed } }

    /// The breaker that matters most: the one for all clients if it is not closed, else that of the client with the most rests and
    /// failures.
    var worst: OriginHealth {
        guard all.state == .closed else { return all }
        return each.values.max { ($0.rests, $0.failures) < ($1.rests, $1.failures) } ?? all
    }

    var lastNews: Int64 { each.values.reduce(all.lastNews) { max($0, $1.lastNews) } }

    func isForgotten(now: Int64, _ policy: HealthPolicy) -> Bool {
        all.isForgotten(now: now, policy) && each.values.allSatisfy { $0.isForgotten(now: now, policy) }
    }

    func outlook(for client: ClientKey?, now: Int64, isWanted: Bool) -> OriginHealth.Outlook {
        let outlook = all.outlook(now: now, isWanted: isWanted)
        guard outlook == .well else { return outlook }
        return each[client]?.outlook(now: now, isWanted: isWanted) ?? .well
    }

    mutating func enter(
        _ number: UInt64, for client: ClientKey?, now: Int64, isWanted: Bool, _ policy: HealthPolicy
    ) -> OriginHealth.Entry {
        let entry = all.enter(number, now: now, isWanted: isWanted, policy)
        guard entry == .asks else { return entry }
        return each[client]?.enter(number, now: now, isWanted: isWanted, policy) ?? .asks
    }

    mutating func hear(_ news: OriginHealth.News, _ policy: HealthPolicy) -> (
        OriginHealth.Change, isForOneClient: Bool
    )? {
        let wasOpen = all.state != .closed
        if let change = all.hear(news, policy) {
            // The breaker of all clients includes the failures of each.
            each = [:]
            return (change, false)
        }
        guard !wasOpen else { return nil }
        switch news.signal {
        // The breaker of all clients has counted this failure already.
        case .down: return nil
        case .well: return recover(news, policy)
        case .none, .failed:
            if each[news.client] == nil {
                guard news.signal != .none else { return nil }
                each[news.client] = OriginHealth(share: policy.failures)
            }
            return each[news.client]?.hear(news, policy).map { ($0, true) }
        }
    }

    /// A success ends every client's row of failures.
    private mutating func recover(
        _ news: OriginHealth.News, _ policy: HealthPolicy
    ) -> (OriginHealth.Change, isForOneClient: Bool)? {
        var change: OriginHealth.Change?
        for client in each.keys {
            change = each[client]?.hear(news, policy) ?? change
            if each[client]?.isWell == true { each[client] = nil }
        }
        return change.map { ($0, true) }
    }

    /// Drops the breakers of single clients; those of clients still resting only with `resting`.
    mutating func forgetClients(resting: Bool) {
        each = resting ? [:] : each.filter { $0.value.state != .closed }
    }
}
