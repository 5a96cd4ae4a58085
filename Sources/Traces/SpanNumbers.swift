// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Names of traces and spans: no two equal, and spread evenly, because samplers of other services decide by their bits.
///
/// **Isolation:** an atomic count.
package final class SpanNumbers: Sendable {
    private let count = Atomic<UInt64>(0)
    private let seeds: (UInt64, UInt64, UInt64)

    /// - Parameter seeds: random numbers.
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

    /// Multiples of the golden ratio, of which SplitMix64 makes even bits.
    private func next() -> UInt64 {
        count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    }

    /// SplitMix64's finaliser, which maps no two numbers to one.
    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
