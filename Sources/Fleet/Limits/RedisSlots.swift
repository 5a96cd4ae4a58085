// SPDX-License-Identifier: Apache-2.0
//
// The fetches under way from one origin are a sorted set of Redis, {<prefix>}:slots:<name>: a member for each fetch, whose score
// is the time at which it stops counting, in microseconds of Redis's own clock. A node renews its members while its fetches go
// on; the members of a dead node expire. The key itself expires after ten times a slot's time.

/// Slots for work that all nodes of a fleet count together. One script reads and writes one key, by Redis's clock.
///
/// **Isolation:** immutable; the link and the held tokens have locks of their own.
package final class RedisSlots: Sendable {
    /// The answer to a request for a slot.
    package enum Found: Sendable, Hashable {
        case taken(token: String)
        /// All slots are taken.
        case full
        /// Redis cannot be reached, is late, or gives an answer of another kind.
        case unavailable
    }

    private static let take = RedisScript(
        onMembers: """
            if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
            redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[1] * 1000), ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[1] * 10)
            return 1
            """)
    /// An expired token is not added again (`XX`), because another fetch may have its slot.
    private static let renew = RedisScript(
        byTime: """
            for index = 2, #ARGV do
                redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + ARGV[1] * 1000), ARGV[index])
            end
            return redis.call('PEXPIRE', KEYS[1], ARGV[1] * 10)
            """)
    private static let count = RedisScript(
        byTime: "return redis.call('ZCOUNT', KEYS[1], string.format('%.0f', now), '+inf')")

    private let link: RedisLink
    private let prefix: String
    private let time: Duration
    private let patience: Duration
    private let tokens = HeldTokens()

    /// - Parameters:
    ///   - prefix: the beginning of all keys. It stands in braces as their hash tag, so that a Cluster keeps them in one slot.
    ///   - time: how long a slot outlives its node.
    ///   - patience: how long a request to Redis may take.
    package init(link: RedisLink, prefix: String, time: Duration, patience: Duration) {
        (self.link, self.prefix, self.time, self.patience) = (link, prefix, time, patience)
    }

    /// Starts to renew the slots that this node holds.
    package func start() { tokens.renew(within: time) { [weak self] in await self?.renew($0) } }

    /// The number of slots that this node holds.
    package var count: Int { tokens.all.count }

    /// Stops renewing and gives all slots back. Waits for Redis for `patience` at most.
    package func close() async { await tokens.close { await self.drop($0, of: $1) } }

    /// Asks for a slot once.
    /// - Parameter most: the limit of slots of this name in the whole fleet.
    package func take(_ name: String, most: Int) async -> Found {
        let token = HeldTokens.random()
        do throws(RedisFailure) {
            let reply = try await link.send(
                Self.take.command(key(name), ["\(time.wholeMilliseconds)", token, "\(most)"]),
                within: patience)
            switch reply {
            case .number(1):
                tokens.add(token, of: name)
                return .taken(token: token)
            case .number(0): return .full
            default: return .unavailable
            }
        } catch {
            if error.mayBeCarriedOut { Task { await drop(token, of: name, within: time) } }
            return .unavailable
        }
    }

    /// Gives a slot back. Returns without waiting for Redis.
    package func release(_ token: String) {
        guard let name = tokens.remove(token) else { return }
        // If Redis does not answer, the slot expires.
        Task { await drop(token, of: name, within: time) }
    }

    /// The number of slots of this name that all nodes hold together; nil if Redis does not answer.
    package func taken(_ name: String) async -> Int? {
        let reply = try? await link.send(Self.count.command(key(name), []), within: patience)
        return if case .number(let count)? = reply { Int(exactly: count) } else { nil }
    }

    /// - Parameter limit: how long the command may take, including the wait for a connection; nil for `patience` and a failure at
    ///   once if there is no connection.
    private func drop(_ token: String, of name: String, within limit: Duration? = nil) async {
        _ = try? await link.send(
            ["ZREM", key(name), token], within: limit ?? patience, waits: limit != nil)
    }

    private func renew(_ held: [String: String]) async {
        let names = Dictionary(grouping: held, by: \.value).mapValues { $0.map(\.key) }
        await withTaskGroup { group in
            for (name, tokens) in names {
                group.addTask {
                    _ = try? await self.link.send(
                        Self.renew.command(
                            self.key(name), ["\(self.time.wholeMilliseconds)"] + tokens))
                }
            }
        }
    }

    private func key(_ name: String) -> String { "{\(prefix)}:slots:\(name)" }
}
