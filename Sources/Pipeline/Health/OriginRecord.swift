// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// How one origin fares: as all its clients found it together, and as each of them found it alone.
///
/// A client can name URLs that always fail, on any host. So failures that a URL can bring about count for everybody only where
/// several clients met them with no success between them. Failures that one client met alone rest the origin for that client.
/// Where all requests come through one proxy that is not trusted to name its clients, there is one client, and the two are the
/// same.
struct OriginRecord: Sendable {
    private(set) var all: OriginHealth
    private(set) var each: [ClientKey?: OriginHealth] = [:]

    init(_ policy: HealthPolicy) { all = OriginHealth(share: policy.shareOfClient) }

    var isWell: Bool { all.isWell && each.isEmpty }

    /// It rests or is probed, for all clients or for one.
    var isSick: Bool { all.state != .closed || each.values.contains { $0.state != .closed } }

    /// Clients for whom alone it rests or is probed.
    var restingClients: Int { each.values.count { $0.state != .closed } }

    /// The breaker that tells most: that of all clients where it is open, else that of the client with most failures.
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
            // The failures of single clients are those of all by now.
            each = [:]
            return (change, false)
        }
        guard !wasOpen else { return nil }
        switch news.sign {
        // It counts for everybody.
        case .down: return nil
        case .well: return recover(news, policy)
        case .none, .failed:
            if each[news.client] == nil {
                guard news.sign != .none else { return nil }
                each[news.client] = OriginHealth(share: policy.failures)
            }
            return each[news.client]?.hear(news, policy).map { ($0, true) }
        }
    }

    /// A success is everybody's: no row goes on over it.
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

    /// Forgets the failures of single clients; of those whose rest is not over, on demand only.
    mutating func forgetClients(resting: Bool) {
        each = resting ? [:] : each.filter { $0.value.state != .closed }
    }
}
