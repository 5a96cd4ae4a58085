// SPDX-License-Identifier: Apache-2.0
//
//   away ──greets──▶ greeted ──carries out a command, or lasts──▶ proven
//     ▲                 └────────────────── MOVED ──────────────────┴──▶ moving ──greets──▶ greeted
//     └── any of them ends, or does not come about

internal import Kernel

/// The decisions of a `RedisLink`: whether commands are taken, whom it connects to and when, and what operators are told.
///
/// A Redis may greet and then refuse everything, as a replica does: what greets is not back yet.
///
/// Time, in microseconds of the monotonic clock, and chance are passed in.
struct RedisLinkState {
    private enum Phase: Equatable {
        /// There is no connection: one is being made, or the next try rests.
        case away
        /// Redis has greeted. The connection counts as good from `proof` on.
        case greeted(proof: Int64)
        /// Redis has carried out a command on this connection, or it has lasted for a while.
        case proven
        /// The connection goes on to the node that `MOVED` has named.
        case moving
    }

    /// What the link has to do after a connection ended or did not come about.
    enum Action: Sendable, Equatable {
        /// Connect at once to the node that `MOVED` has named. Commands were not carried out, and go out there.
        case goOn
        /// Fail the commands that wait for no connection, report the event if there is one, and rest until then.
        case rest(until: Int64, RedisEvent?)
    }

    /// What a reply says of the node that gave it.
    enum Meaning: Sendable, Equatable {
        /// It has carried out the command.
        case carriedOut
        /// It refuses this command, which is the caller's affair.
        case refused
        /// The slot of all keys is this node's, so the command was not carried out, and may be sent again.
        case moved(RedisAddress)
        /// It is a master that has become a replica, or that cannot be used, in its words; another connect may find a better one.
        case unfit(String)
    }

    /// Moves of one command from node to node.
    static let mostMoves = 3
    /// Microseconds of the first rest.
    static let firstRest: Int64 = 100_000

    /// Microseconds.
    private let longestRest: Int64
    /// Microseconds.
    private let provingTime: Int64
    private var phase = Phase.away
    /// The node that `MOVED` has named since the last connect.
    private var moved: RedisAddress?
    /// Tries that failed, but for those of moves: the place of the first address of the next one.
    private var turn = 0
    /// Tries since a connection was proven.
    private var failures = 0
    private var isAwayReported = false

    /// Why there is no connection; the last reason while there is one.
    private(set) var why = "not connected yet"
    /// Connections that were made.
    private(set) var connects = 0
    private(set) var isClosing = false

    init(_ configuration: RedisConfiguration) {
        longestRest = configuration.longestRest.wholeMicroseconds
        provingTime = configuration.provingTime.wholeMicroseconds
    }

    /// True while the link goes on to another node of a Cluster.
    var isMoving: Bool { phase == .moving }

    /// True while there is a connection, also while the link goes on to another node of a Cluster.
    var isUp: Bool { phase != .away }

    /// When the connection counts as good; nil if it does already, and without one.
    var proof: Int64? { if case .greeted(let proof) = phase { proof } else { nil } }

    /// Why a command is not taken; nil if it is.
    /// - Parameter waits: true if it waits for a connection.
    func refusal(waits: Bool) -> RedisFailure? {
        if isClosing { return .closed }
        return isUp || waits ? nil : .away(why)
    }

    // MARK: Events

    /// The link is about to connect.
    /// - Returns: the node that `MOVED` has named, and the place of the first address if it has named none.
    mutating func connecting() -> (moved: RedisAddress?, turn: Int) { (moved.take(), turn) }

    mutating func connected(at now: Int64) {
        phase = .greeted(proof: now + provingTime)
        connects += 1
    }

    /// Redis has carried out a command.
    /// - Returns: the event to report; nil for none.
    mutating func answered(by address: RedisAddress) -> RedisEvent? {
        guard proof != nil else { return nil }
        (phase, failures) = (.proven, 0)
        return exchange(&isAwayReported, with: false) ? .back(address.words) : nil
    }

    /// Time has passed on a connection.
    /// - Returns: the event to report; nil for none.
    mutating func lasted(with address: RedisAddress, at now: Int64) -> RedisEvent? {
        guard let proof, now >= proof else { return nil }
        return answered(by: address)
    }

    /// `MOVED` has named this node. The end of the connection must follow.
    mutating func move(to address: RedisAddress) { moved = address }

    /// The connection has ended, or did not come about.
    ///
    /// Rests last 100 ms at first, twice as long after each failure, up to the longest, half of it by chance ("equal jitter").
    /// - Parameter chance: 0..<1.
    mutating func failed(_ failure: RedisFailure, at now: Int64, chance: Double) -> Action {
        why = failure.description
        guard moved == nil else {
            phase = .moving
            return .goOn
        }
        phase = .away
        let isNews = !isAwayReported && !isClosing
        if isNews { isAwayReported = true }
        let most = min(longestRest, Self.firstRest << Int64(min(failures, 20)))
        turn += 1
        failures += 1
        let random = Int64(exactly: (chance * Double(most / 2)).rounded(.down)) ?? 0
        return .rest(until: now + most / 2 + random, isNews ? .away(why) : nil)
    }

    /// The link ends, and takes no commands any more.
    mutating func close() { isClosing = true }

    // MARK: Replies

    /// - Parameters:
    ///   - moves: of the command, from node to node so far.
    ///   - address: the node's.
    static func meaning(of reply: RedisReply, after moves: Int, from address: RedisAddress) -> Meaning {
        guard case .error(let words) = reply else { return .carriedOut }
        let parts = words.split(separator: " ")
        switch parts.first {
        case "MOVED":
            guard parts.count == 3, moves < mostMoves,
                let moved = RedisAddress(moved: parts[2], from: address)
            else { return .refused }
            return .moved(moved)
        case "READONLY", "MASTERDOWN", "LOADING", "CLUSTERDOWN": return .unfit(RedisFailure.words(of: words))
        // Redis before 7 begins a script at a replica, and tells of its first write in words of its own.
        case "ERR" where words.hasPrefix("ERR Error running script") && parts.contains("-READONLY"):
            return .unfit(RedisFailure.words(of: words))
        default: return .refused
        }
    }
}
