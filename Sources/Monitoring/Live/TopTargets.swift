// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Telemetry

/// The most requested targets in a sample of the answers, by the algorithm of Metwally, Agrawal and El Abbadi ("Space-Saving",
/// 2005). The number of counters is fixed, and a new target takes over the lowest, so every target with more than one in
/// `capacity` answers has a counter. The counts fade, so that they describe the last minutes.
///
/// **Isolation:** a `Mutex` that event loops only try to lock.
package final class TopTargets: Sendable {
    /// A target and its part of all sampled answers.
    package struct Entry: Sendable, Hashable {
        /// The target as requested, with its secrets hidden, cut to `longest` bytes.
        package var target: String
        /// The target's part of all sampled answers, from 0 to 1.
        package var share: Double
        /// The target's part of all sampled bytes of bodies, from 0 to 1.
        package var byteShare: Double
    }

    fileprivate struct Counter {
        /// The hash of the target with its secrets hidden.
        var hash: Int
        /// The hash of the target as it was last requested, secrets included.
        var spelling: Int
        var target: String
        var count: Double
        var bytes: Double
    }

    fileprivate struct State {
        var counters: [Counter] = []
        var total = 0.0
        var totalBytes = 0.0
        /// The secrets that are hidden in the targets. When others are to be hidden, the counts begin anew.
        var secrets: SecretParameters?
    }

    /// One of so many answers is sampled, and stands for all of them.
    private static let stride = 16
    /// The first so many answers are all sampled, two for each counter. Later only a part is, because a new target costs 27,000
    /// instructions.
    private static let first = 128
    fileprivate static let capacity = 64
    fileprivate static let longest = 512

    private let state = Mutex(State())
    private let answers = Atomic<Int>(0)

    init() {}

    /// Called on an event loop: most answers cost one atomic addition, and it never waits.
    func note(
        _ target: UnsafeRawBufferPointer, bytes: Int, hiding secrets: @autoclosure () -> SecretParameters
    ) {
        let number = answers.add(1, ordering: .relaxed).newValue
        guard number <= Self.first || number % Self.stride == 0 else { return }
        let weight = number <= Self.first ? 1.0 : Double(Self.stride)
        let (secrets, bytes) = (secrets(), Double(bytes) * weight)
        let spelling = Self.hash { $0.combine(bytes: target) }
        // Nil if another thread has the lock.
        let isKnown = state.withLockIfAvailable { $0.add(weight, bytes, to: spelling, hiding: secrets) }
        guard isKnown == false else { return }
        let hash = Self.hash { secrets.hash(target, into: &$0) }
        _ = state.withLockIfAvailable { state in
            guard let index = state.counter(of: target, hash, spelling, hiding: secrets) else { return }
            state.add(weight, bytes, at: index)
        }
    }

    private static func hash(_ combine: (inout Hasher) -> Void) -> Int {
        var hasher = Hasher()
        combine(&hasher)
        return hasher.finalize()
    }

    /// The most requested targets, the first one first. Empty if they were counted while other secrets were hidden, because they
    /// may show one of these.
    func top(_ count: Int, hiding secrets: SecretParameters) -> [Entry] {
        state.withLock { state in
            guard state.total > 0, state.secrets == secrets else { return [] }
            return state.counters.sorted { $0.count > $1.count }.prefix(count).map { counter in
                Entry(
                    target: counter.target, share: min(counter.count / state.total, 1),
                    byteShare: state.totalBytes > 0 ? min(counter.bytes / state.totalBytes, 1) : 0)
            }
        }
    }

    /// Reduces all counts; `factor` is the part that stays.
    func fade(to factor: Double) {
        state.withLock { state in
            state.total *= factor
            state.totalBytes *= factor
            for index in state.counters.indices {
                state.counters[index].count *= factor
                state.counters[index].bytes *= factor
            }
            state.counters.removeAll { $0.count < 0.1 }
        }
    }
}

extension TopTargets.State {
    /// Counts an answer for a target whose exact spelling was counted before; false if it was not. This saves the search for
    /// secrets, which is nearly all of the work.
    fileprivate mutating func add(
        _ weight: Double, _ bytes: Double, to spelling: Int, hiding secrets: SecretParameters
    ) -> Bool {
        if self.secrets != secrets {
            // Targets that were noted before may show a value that is secret now.
            counters.removeAll()
            (total, totalBytes, self.secrets) = (0, 0, secrets)
        }
        guard let index = counters.firstIndex(where: { $0.spelling == spelling }) else { return false }
        add(weight, bytes, at: index)
        return true
    }

    fileprivate mutating func add(_ weight: Double, _ bytes: Double, at index: Int) {
        total += weight
        totalBytes += bytes
        counters[index].count += weight
        counters[index].bytes += bytes
    }

    /// The target's counter, which may be new, or the lowest one, taken over from another target. Nil if another thread has
    /// changed the secrets since `add`.
    fileprivate mutating func counter(
        of target: UnsafeRawBufferPointer, _ hash: Int, _ spelling: Int, hiding secrets: SecretParameters
    ) -> Int? {
        guard self.secrets == secrets else { return nil }
        if let index = counters.firstIndex(where: { $0.hash == hash }) {
            counters[index].spelling = spelling
            return index
        }
        let text = secrets.shown(target, longest: TopTargets.longest)
        guard counters.count == TopTargets.capacity,
            let lowest = counters.indices.min(by: { counters[$0].count < counters[$1].count })
        else {
            counters.append(.init(hash: hash, spelling: spelling, target: text, count: 0, bytes: 0))
            return counters.count - 1
        }
        // The new target takes over the count, because it may have been requested so often before, but not the bytes, which
        // belong to the other target.
        counters[lowest] = .init(
            hash: hash, spelling: spelling, target: text, count: counters[lowest].count, bytes: 0)
        return lowest
    }
}
