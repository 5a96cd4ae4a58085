// SPDX-License-Identifier: Apache-2.0
//
// A token bucket of the fleet is a key of Redis, {<prefix>}:rate:<name>. Its value is the time at which the bucket will be full
// again, in microseconds of Redis's own clock (the theoretical arrival time of the Generic Cell Rate Algorithm). A full bucket
// equals an absent one, so the key expires when the bucket is full.

/// Token buckets that all nodes of a fleet take from. One script reads and writes one key, by Redis's clock, so the nodes'
/// clocks do not matter.
///
/// **Isolation:** immutable; the link and the counters are safe to share.
package final class RedisBuckets: Sendable {
    /// The answer to a request for tokens.
    package enum Found: Sendable, Hashable {
        /// The tokens were taken; `fullIn` is the time in microseconds until the bucket is full.
        case taken(fullIn: Int64)
        /// There were too few tokens, so none was taken.
        case empty(fullIn: Int64)
        /// Redis cannot be reached, is late, or gives an answer of another kind.
        case unavailable
    }

    /// The time in a bucket may be too far ahead, because earlier settings had a slower rate or because Redis's clock was set
    /// back. The script lowers it to the latest possible time: that of an empty bucket, or of the greatest debt.
    private static let take = RedisScript(
        byTime: """
            local whole, cost, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
            local full = tonumber(redis.call('GET', KEYS[1]) or '') or now
            full = math.min(math.max(full, now), now + most)
            local after = full + cost
            if after > now + whole and ARGV[3] == '0' then return {0, full - now} end
            after = math.min(math.max(after, now), now + most)
            local rest = math.ceil((after - now) / 1000) + 1
            redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', string.format('%.0f', rest))
            return {1, after - now}
            """)

    private static let look = RedisScript(
        byTime: """
            local full = tonumber(redis.call('GET', KEYS[1]) or '') or 0
            return math.max(full - now, 0)
            """)

    /// The greatest debt, in whole buckets. A token spent from an empty bucket is a debt, which must be paid off before a token
    /// is granted again; otherwise each node would grant all the tokens that come back.
    private static let greatestDebt: Int64 = 8

    private let link: RedisLink
    private let prefix: String
    private let patience: Duration
    /// Counts the answers.
    package let counters = LimitCounters()

    /// - Parameters:
    ///   - prefix: the beginning of all keys. It stands in braces as their hash tag, so that a Cluster keeps them in one slot.
    ///   - patience: how long a request to Redis may take.
    package init(link: RedisLink, prefix: String, patience: Duration) {
        (self.link, self.prefix, self.patience) = (link, prefix, patience)
    }

    /// Takes tokens; a negative number puts tokens back.
    /// - Parameters:
    ///   - interval: microseconds until one token comes back.
    ///   - whole: microseconds until an empty bucket is full.
    ///   - areSpent: true to take the tokens even from an empty bucket, because they pay for something that has already happened.
    package func take(
        _ count: Int, from name: String, interval: Int64, whole: Int64, areSpent: Bool = false
    ) async -> Found {
        let (cost, isTooMuch) = interval.multipliedReportingOverflow(by: Int64(count))
        let buckets = areSpent && count > 0 ? Self.greatestDebt : 1
        let (most, isTooLong) = whole.multipliedReportingOverflow(by: buckets)
        guard !isTooMuch, !isTooLong else { return .unavailable }
        let found = await ask(
            Self.take.command(key(name), ["\(whole)", "\(cost)", areSpent ? "1" : "0", "\(most)"]), most)
        counters.count(found)
        return found
    }

    /// Microseconds until a bucket is full; nil if Redis does not answer. Takes no token, and `counters` does not count it.
    package func fullIn(_ name: String) async -> Int64? {
        let reply = try? await link.send(Self.look.command(key(name), []), within: patience)
        return if case .number(let fullIn)? = reply, fullIn >= 0 { fullIn } else { nil }
    }

    private func key(_ name: String) -> String { "{\(prefix)}:rate:\(name)" }

    private func ask(_ command: RedisCommand, _ most: Int64) async -> Found {
        guard let parts = try? await link.send(command, within: patience).elements, parts.count == 2,
            case .number(let verdict) = parts[0], case .number(let fullIn) = parts[1],
            (0...most).contains(fullIn)
        else { return .unavailable }
        switch verdict {
        case 1: return .taken(fullIn: fullIn)
        case 0: return .empty(fullIn: fullIn)
        default: return .unavailable
        }
    }
}
