// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Pipeline

/// The pipeline's limits of origins over Redis.
struct OriginLimitAdapter: OriginLimitPort {
    let slots: RedisSlots
    let buckets: RedisBuckets

    /// Takes a slot, and then a token of the rate; if there is no token, gives the slot back.
    func enter(_ name: String, _ limits: OriginLimits) async -> OriginVerdict {
        switch await slots.take(name, most: limits.fetches) {
        case .full: return .full
        case .unavailable: return .unavailable
        case .taken(let token):
            guard limits.rate > 0 else { return .entered(OriginSlot(token: token)) }
            let interval = Self.interval(limits.rate)
            // The bucket's size is that of a single node: the tokens of a tenth of a second, and at least one.
            let whole = max(interval, 100_000)
            let found = await buckets.take(1, from: "origin:\(name)", interval: interval, whole: whole)
            switch found {
            // If Redis does not answer, only this node's own rate applies.
            case .taken, .unavailable: return .entered(OriginSlot(token: token))
            case .empty(let fullIn):
                slots.release(token)
                return .early(fullIn + interval - whole)
            }
        }
    }

    func leave(_ slot: OriginSlot) { slots.release(slot.token) }

    func running(_ name: String) async -> Int? { await slots.taken(name) }

    /// Microseconds between the starts of two fetches; a day at most.
    private static func interval(_ rate: Double) -> Int64 {
        Int64(exactly: (1_000_000 / max(rate, 1.0 / 86_400)).rounded()) ?? 1
    }
}
