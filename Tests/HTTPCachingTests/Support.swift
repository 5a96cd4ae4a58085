// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

/// 2025-01-01T00:00:00Z: the moment at which responses arrive here.
let now = Timestamp(seconds: 1_735_689_600)

/// The date that lies so many seconds from `now`.
func date(_ seconds: Int64) -> String { HTTPDate.format(now.adding(seconds: seconds)) }

/// `Name: value` lines.
func fields(_ lines: [String]) -> Fields {
    Fields(
        lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return Fields.Field(String(parts[0]), parts.count < 2 ? "" : String(parts[1].drop { $0 == " " }))
        })
}

extension CachePolicy {
    /// Nothing is added to what the origin says.
    static var plain: CachePolicy {
        var policy = CachePolicy()
        (policy.defaultLifetime, policy.defaultStaleIfError) = (0, 0)
        return policy
    }

    /// Judges a 200 that was asked for and arrived at `now`.
    func assess(_ lines: [String]) -> StorageDecision {
        assess(status: 200, fields: fields(lines), requestTime: now, responseTime: now)
    }

    func freshness(_ lines: [String]) throws -> Freshness {
        guard case .store(let freshness) = assess(lines) else {
            throw NotStored()
        }
        return freshness
    }

    struct NotStored: Error {}
}

extension Freshness {
    func isFresh(after seconds: Int64) -> Bool {
        if case .fresh = state(at: now.adding(seconds: seconds)) { true } else { false }
    }

    static func sample(
        age: Int32 = 0, lifetime: Int32 = 100, client: Int32? = nil, whileRevalidate: Int32 = 0,
        ifError: Int32 = 0,
        flags: Flags = []
    ) -> Freshness {
        Freshness(
            responseTime: now, initialAge: age, lifetime: lifetime, clientLifetime: client,
            staleWhileRevalidate: whileRevalidate, staleIfError: ifError, flags: flags)
    }
}

/// SplitMix64: small, and the same on every machine.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: 1...1_000_000)) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    mutating func text(of pieces: [String], limit: Int) -> String {
        (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &self)]
        }
        .joined()
    }
}
