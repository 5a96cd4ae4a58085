// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import RandomInputs
import Testing

/// 2025-01-01T00:00:00Z, when responses arrive in these tests.
let now = Timestamp(seconds: 1_735_689_600)

/// The date this many seconds after `now`.
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
    /// A policy that adds nothing to the origin's fields.
    static var plain: CachePolicy {
        var policy = CachePolicy()
        (policy.defaultLifetime, policy.defaultStaleIfError) = (0, 0)
        return policy
    }

    /// Assesses a 200 that was requested and arrived at `now`.
    func assess(_ lines: [String]) -> StorageDecision {
        assess(status: 200, fields: fields(lines), by: Transit(at: now))
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

extension SeededRandom {
    mutating func text(of pieces: [String], limit: Int) -> String {
        (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &self)]
        }
        .joined()
    }
}
