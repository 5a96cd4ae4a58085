// SPDX-License-Identifier: Apache-2.0

/// The tokens that clients have taken from this node's buckets and that are not yet reported to the fleet. Bounded: tokens that find
/// no room are not reported, in the client's favour.
package struct UnreportedTokens: Sendable {
    private struct Entry {
        var count: Int
        /// Microseconds of the caller's clock.
        let since: Int64
    }

    /// The tokens that one client has taken since the last report.
    package struct Usage: Sendable, Hashable {
        package let client: ClientKey
        package let count: Int

        /// Since the last report.
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
    ///   - most: clients that are remembered.
    ///   - share: tokens of a client that are reported at once.
    ///   - age: microseconds after which fewer tokens are reported too.
    package init(most: Int, share: Int, age: Int64) {
        (self.most, self.share, self.age) = (most, share, age)
        entries.reserveCapacity(most)
    }

    /// Counts a token.
    package mutating func note(_ client: ClientKey, at now: Int64) {
        if let place = entries.index(forKey: client) {
            entries.values[place].count += 1
        } else if entries.count < most {
            entries[client] = Entry(count: 1, since: now)
        }
    }

    /// Removes and returns what must be reported now.
    /// - Parameter limit: clients in one report; the others are reported next time.
    package mutating func due(at now: Int64, limit: Int) -> [Usage] {
        let due = entries.lazy.filter { [share, age] in $0.value.count >= share || now - $0.value.since >= age
        }
        .prefix(limit)
        .map { Usage(client: $0.key, count: $0.value.count) }
        let list = Array(due)
        for usage in list { entries[usage.client] = nil }
        return list
    }
}
