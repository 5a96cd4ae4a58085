// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// How the most requested origins have answered in the last minutes, each with its failures and times. The algorithm is
/// Space-Saving, as in `TopTargets`; the counts fade.
///
/// **Isolation:** a `Mutex`, which a fetch locks once.
package final class TopOrigins: Sendable {
    /// An origin and its fetches.
    package struct Entry: Sendable, Hashable {
        /// The origin: scheme, host and port.
        package var origin: SourceOrigin
        /// The number of fetches in the last minutes; older ones count in part.
        package var fetches: Double
        /// How many of these fetches brought no picture through the origin's fault.
        package var failures: Double
        /// The mean time of a fetch, in milliseconds.
        package var milliseconds: Double
    }

    fileprivate struct Counter {
        /// The count of the origin that this one replaced (Space-Saving); those fetches went to another origin.
        var inherited: Double
        var fetches = 0.0
        var failures = 0.0
        var milliseconds = 0.0

        mutating func fade(to factor: Double) {
            inherited *= factor
            fetches *= factor
            failures *= factor
            milliseconds *= factor
        }
    }

    private static let capacity = 128
    private let counters = Mutex<[SourceOrigin: Counter]>([:])

    init() {}

    /// Notes a fetch that has ended.
    /// - Parameter isFailure: true if the fetch failed through the origin's fault.
    package func note(_ origin: SourceOrigin, isFailure: Bool, milliseconds: Int64) {
        counters.withLock { counters in
            if counters[origin] == nil {
                var inherited = 0.0
                if counters.count >= Self.capacity,
                    let least = counters.min(by: { $0.value.weight < $1.value.weight })
                {
                    inherited = least.value.weight
                    counters[least.key] = nil
                }
                counters[origin] = Counter(inherited: inherited)
            }
            counters[origin]?.fetches += 1
            counters[origin]?.failures += isFailure ? 1 : 0
            counters[origin]?.milliseconds += Double(max(milliseconds, 0))
        }
    }

    /// The worst origins: those with the most failures first, then those with the longest times.
    package func worst(_ count: Int) -> [Entry] {
        entries.sorted { ($0.failures, $0.milliseconds) > ($1.failures, $1.milliseconds) }
            .prefix(count).map(\.self)
    }

    /// The origins with the most fetches, and with at least `fetches`; in alphabetical order.
    func busiest(_ count: Int, fetches: Double) -> [Entry] {
        entries.filter { $0.fetches >= fetches }.sorted { $0.fetches > $1.fetches }.prefix(count).sorted {
            "\($0.origin)" < "\($1.origin)"
        }
    }

    private var entries: [Entry] {
        counters.withLock { counters in
            counters.filter { $0.value.fetches > 0 }.map { origin, counter in
                Entry(
                    origin: origin, fetches: counter.fetches, failures: counter.failures,
                    // Cannot trap: this is a floating-point division, and there was at least one fetch.
                    milliseconds: counter.milliseconds / counter.fetches)
            }
        }
    }

    /// Reduces all counts; `factor` is the part that stays.
    func fade(to factor: Double) {
        counters.withLock { counters in
            for origin in counters.keys { counters[origin]?.fade(to: factor) }
            counters = counters.filter { $0.value.weight >= 0.1 }
        }
    }
}

extension TopOrigins.Counter {
    fileprivate var weight: Double { inherited + fetches }
}
