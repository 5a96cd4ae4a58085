// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// How the origins of the last minutes have answered: those that are asked most, by Space-Saving as in `TopTargets`, each
/// with its failures and its time. The counts fade.
///
/// **Isolation:** a `Mutex`; a fetch takes it once.
package final class TopOrigins: Sendable {
    /// An origin and its fetches.
    package struct Entry: Sendable, Hashable {
        /// Scheme, host and port.
        package var origin: SourceOrigin
        /// The fetches of the last minutes, older ones counted in part.
        package var fetches: Double
        /// Fetches of these that the origin's fault left without a picture.
        package var failures: Double
        /// The mean time of a fetch.
        package var milliseconds: Double
    }

    fileprivate struct Counter {
        /// The count of the origin whose place this one took (space-saving); those fetches were not its own.
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

    /// A fetch has ended.
    /// - Parameter isFailure: true if that was the origin's fault.
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

    /// The origins with the most failures first, then those that take the longest.
    package func worst(_ count: Int) -> [Entry] {
        entries.sorted { ($0.failures, $0.milliseconds) > ($1.failures, $1.milliseconds) }
            .prefix(count).map(\.self)
    }

    /// The origins that are asked most, in the order of their names, if there were so many fetches at least.
    package func busiest(_ count: Int, fetches: Double) -> [Entry] {
        entries.filter { $0.fetches >= fetches }.sorted { $0.fetches > $1.fetches }.prefix(count).sorted {
            "\($0.origin)" < "\($1.origin)"
        }
    }

    private var entries: [Entry] {
        counters.withLock { counters in
            counters.filter { $0.value.fetches > 0 }.map { origin, counter in
                Entry(
                    origin: origin, fetches: counter.fetches, failures: counter.failures,
                    // Cannot trap: floating point, and there was one at least.
                    milliseconds: counter.milliseconds / counter.fetches)
            }
        }
    }

    /// Takes a part of all counts away; `factor` is what stays.
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
