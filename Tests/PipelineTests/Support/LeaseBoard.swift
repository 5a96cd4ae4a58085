// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Synchronization

/// The leases of several nodes, with the clock of the test.
final class LeaseBoard: Sendable {
    /// Seconds after which the lease of a dead node ends.
    static let seconds = 10.0
    /// Seconds for which a marker is kept: longer than any test.
    private static let wordSeconds = 36_000.0

    private enum Entry {
        /// Has no end while its node lives.
        case lease(Lease, node: String, until: Int64?)
        case marker(LeaseMarker, until: Int64)
        case unshared(until: Int64)
    }

    private struct State {
        var entries: [LeaseName: Entry] = [:]
        var dead: Set<String> = []
        var isAway = false
        var lastToken = 0
        var questions: [String: Int] = [:]
        var asked: [String: Set<LeaseName>] = [:]
        var ends: [LeaseEnd] = []
    }

    private let state = Mutex(State())
    private let clock: HandMovedClock

    init(clock: HandMovedClock) { self.clock = clock }

    /// From now on leases are unavailable.
    func goAway() { state.withLock { $0.isAway = true } }

    /// The node is dead from now on, and its leases end after `seconds`.
    func kill(_ node: String) {
        let end = clock.ticks() + Int64(Self.seconds * 1_000_000)
        state.withLock { state in
            state.dead.insert(node)
            for case (let name, .lease(let lease, node, nil)) in state.entries {
                state.entries[name] = .lease(lease, node: node, until: end)
            }
        }
    }

    /// How often the node has asked for a lease.
    func questions(of node: String) -> Int { state.withLock { $0.questions[node] ?? 0 } }
    /// How many different leases the node has asked for.
    func leases(askedBy node: String) -> Int { state.withLock { $0.asked[node]?.count ?? 0 } }
    /// How leases were given back, in order.
    var ends: [LeaseEnd] { state.withLock(\.ends) }
    /// The number of leases that are held.
    var held: Int {
        state.withLock { $0.entries.values.count { if case .lease = $0 { true } else { false } } }
    }

    /// One node's access to the leases.
    struct Port: LeasePort {
        let board: LeaseBoard
        let node: String

        func take(_ name: LeaseName, over marker: LeaseMarker?) async -> LeaseVerdict {
            board.take(name, over: marker, for: node)
        }
        func release(_ lease: Lease, _ end: LeaseEnd) { board.release(lease, end, by: node) }
        func holder(of name: LeaseName) async -> String? { board.holder(of: name) }
    }

    private func take(_ name: LeaseName, over marker: LeaseMarker?, for node: String) -> LeaseVerdict {
        let now = clock.ticks()
        return state.withLock { state in
            state.questions[node, default: 0] += 1
            state.asked[node, default: []].insert(name)
            if state.isAway { return .unavailable }
            switch state.entries[name] {
            case .lease(_, node, _): return .own
            case .lease(_, _, let until) where until.map({ now < $0 }) ?? true: return .held
            case .marker(let left, let until) where now < until && left != marker: return .done(left)
            case .unshared(let until) where now < until: return .unshared
            default: break
            }
            state.lastToken += 1
            let lease = Lease(name: name, token: "\(state.lastToken)")
            state.entries[name] = .lease(lease, node: node, until: nil)
            return .led(lease)
        }
    }

    private func release(_ lease: Lease, _ end: LeaseEnd, by node: String) {
        let until = clock.ticks() + Int64(Self.wordSeconds * 1_000_000)
        state.withLock { state in
            guard !state.dead.contains(node), case .lease(lease, _, _) = state.entries[lease.name] else {
                return
            }
            state.ends.append(end)
            state.entries[lease.name] =
                switch end {
                case .done: .marker(LeaseMarker(text: lease.token), until: until)
                case .unshared: .unshared(until: until)
                case .abandoned: nil
                }
        }
    }

    private func holder(of name: LeaseName) -> String? {
        state.withLock { state in
            if case .lease(_, let node, _) = state.entries[name] { node } else { nil }
        }
    }
}
