// SPDX-License-Identifier: Apache-2.0

/// What clients have spent at this node since the fleet was told of it last. Never grows: what does not find room is not
/// told, in the client's favour.
package struct SpendingLedger: Sendable {
    private struct Entry {
        var count: Int
        /// Microseconds of the caller's clock.
        let since: Int64
    }

    /// What one client has spent.
    package struct Spending: Sendable, Hashable {
        package let client: ClientKey
        package let count: Int

        /// Since the fleet was told last.
        package init(client: ClientKey, count: Int) {
            self.client = client
            self.count = count
        }
    }

    private let most: Int
    private let share: Int
    private let age: Int64
    private var entries: [ClientKey: Entry] = [:]

    /// All memory is allocated here.
    /// - Parameters:
    ///   - most: clients.
    ///   - share: tokens that a client spends before the fleet is told.
    ///   - age: microseconds after which it is told of fewer.
    package init(most: Int, share: Int, age: Int64) {
        (self.most, self.share, self.age) = (most, share, age)
        entries.reserveCapacity(most)
    }

    /// Notes a token.
    package mutating func note(_ client: ClientKey, at now: Int64) {
        if let place = entries.index(forKey: client) {
            entries.values[place].count += 1
        } else if entries.count < most {
            entries[client] = Entry(count: 1, since: now)
        }
    }

    /// Removes what the fleet is to be told now.
    /// - Parameter limit: clients at once; the others come next time.
    package mutating func due(at now: Int64, limit: Int) -> [Spending] {
        let due = entries.lazy.filter { [share, age] in $0.value.count >= share || now - $0.value.since >= age
        }
        .prefix(limit)
        .map { Spending(client: $0.key, count: $0.value.count) }
        let list = Array(due)
        for spending in list { entries[spending.client] = nil }
        return list
    }
}
