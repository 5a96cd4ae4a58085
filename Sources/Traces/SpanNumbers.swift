// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Makes IDs of traces and spans. No two are equal, and their bits are evenly spread, because samplers of other services decide
/// by them.
///
/// **Isolation:** one atomic count.
package final class SpanNumbers: Sendable {
    private let count = Atomic<UInt64>(0)
    private let seeds: (UInt64, UInt64, UInt64)

    /// - Parameter seeds: random numbers that begin the sequences.
    package init(seeds: (UInt64, UInt64, UInt64)) { self.seeds = seeds }

    func trace() -> TraceID {
        while true {
            let number = next()
            if let id = TraceID(high: Self.mix(seeds.0 &+ number), low: Self.mix(seeds.1 &+ number)) {
                return id
            }
        }
    }

    func span() -> SpanID {
        while true {
            if let id = SpanID(Self.mix(seeds.2 &+ next())) { return id }
        }
    }

    /// Counts in steps of the golden ratio, from which `mix` makes evenly spread bits (SplitMix64).
    private func next() -> UInt64 {
        count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    }

    /// SplitMix64's finaliser, which maps different numbers to different results.
    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
