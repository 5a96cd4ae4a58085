// SPDX-License-Identifier: Apache-2.0
//
//   away ──greets──▶ greeted ──carries out a command, or lasts──▶ proven
//     ▲                 └────────── MOVED, or closed while idle ────┴──▶ moving ──greets──▶ greeted
//     └── any of them ends, or does not come about

internal import Kernel

/// The decisions of a `RedisLink`: whether it accepts commands, to which node it connects and when, and what it tells operators.
///
/// A Redis may greet and then refuse every command, as a replica does, or a Cluster whose slot has no node. So Redis does not count
/// as back after the greeting alone, and once a greeting was followed by a refusal, a connection without commands counts for
/// little.
///
/// A Redis with a `timeout`, or a proxy before it, closes connections that are idle. Such a link connects again at once, and counts
/// as away only if that fails.
///
/// Time, in microseconds of the monotonic clock, and chance are passed in.
struct RedisLinkState {
    private enum Phase: Equatable {
        /// There is no connection: the link is connecting, or pauses before the next attempt.
        case away
        /// Redis has greeted. The connection counts as good from `proof` on, in microseconds of the monotonic clock.
        case greeted(proof: Int64)
        /// Redis has carried out a command on this connection, or the connection has lasted for the proving time.
        case proven
        /// The link connects to the node that `MOVED` has named, or again because it was idle. Moves are numbered.
        case moving(Int)
    }

    /// What the link has to do after a connection ended or could not be made.
    enum Action: Sendable, Equatable {
        /// Connect at once, in the move of this number: to the node that `MOVED` has named, or to the addresses if there is none. The
        /// commands were not carried out, and are sent on the new connection.
        case goOn(move: Int)
        /// Fail the commands that do not wait for a connection, report the event if there is one, and pause until `until`.
        case rest(until: Int64, RedisEvent?)
    }

    /// What a reply tells about the node that sent it.
    enum Meaning: Sendable, Equatable {
        /// The node has carried out the command.
        case carriedOut
        /// The node refuses this command; the caller handles that.
        case refused
        /// All keys are in a slot of the node named here, so the command was not carried out and can be sent again.
        case moved(RedisAddress)
        /// The slot is moving to the node named here, which alone may have this key, so the command was not carried out. That node
        /// takes the command once, behind `ASKING`; other commands go on to this one.
        case asked(RedisAddress)
        /// The node has become a replica or cannot be used, for this reason in its own words; connecting again may find a better
        /// node.
        case unfit(String)
    }

    /// The most times that one command is sent on to another node by `MOVED`.
    static let mostMoves = 3
    /// The number of the first move.
    static let firstMove = 1
    /// The first pause, in microseconds.
    static let firstRest: Int64 = 100_000

    /// `RedisConfiguration.longestRest` in microseconds.
    private let longestRest: Int64
    /// How long a connection has to last without a command to count as good, in microseconds: `RedisConfiguration.provingTime`,
    /// then `doubtfulProvingTime`.
    private var provingTime: Int64
    private let doubtfulProvingTime: Int64
    /// `RedisConfiguration.idleTime` in microseconds.
    private let idleTime: Int64
    private var phase = Phase.away
    /// The node that `MOVED` has named since the last connect.
    private var moved: RedisAddress?
    /// Moves so far.
    private var moves = 0
    /// Failed attempts, without those after `MOVED`. It selects the address that is tried first.
    private var turn = 0
    /// Failed attempts since a connection was proven.
    private var failures = 0
    private var isAwayReported = false

    /// Why there is no connection; while there is one, the reason of the last failure.
    private(set) var why = "not connected yet"
    /// The number of connections made.
    private(set) var connects = 0
    private(set) var isClosing = false

    init(_ configuration: RedisConfiguration) {
        longestRest = configuration.longestRest.wholeMicroseconds
        provingTime = configuration.provingTime.wholeMicroseconds
        doubtfulProvingTime = max(provingTime, configuration.doubtfulProvingTime.wholeMicroseconds)
        idleTime = configuration.idleTime.wholeMicroseconds
    }

    /// The state of a link to one node, which takes commands from the beginning: they wait until the node has greeted, as in a move.
    init(_ configuration: RedisConfiguration, connectingTo node: RedisAddress) {
        self.init(configuration)
        (moved, moves, phase) = (node, Self.firstMove, .moving(Self.firstMove))
    }

    /// True while the link connects at once in this move.
    func isUnderWay(_ move: Int) -> Bool { phase == .moving(move) }

    /// True while there is a connection, and while the link connects at once to another node of a Cluster or after an idle end.
    var isUp: Bool { phase != .away }

    /// When the connection begins to count as good, in microseconds of the monotonic clock; nil if it counts as good already, or
    /// if there is none.
    var proof: Int64? { if case .greeted(let proof) = phase { proof } else { nil } }

    /// Why a command is not accepted; nil if it is.
    /// - Parameter waits: true if it waits for a connection.
    func refusal(waits: Bool) -> RedisFailure? {
        if isClosing { return .closed }
        return isUp || waits ? nil : .away(why)
    }

    // MARK: Events

    /// The link is about to connect.
    /// - Returns: the node that `MOVED` has named, if any, and the number that selects the first address otherwise.
    mutating func connecting() -> (moved: RedisAddress?, turn: Int) { (moved.take(), turn) }

    mutating func connected(at now: Int64) {
        phase = .greeted(proof: now + provingTime)
        connects += 1
    }

    /// Redis has carried out a command.
    /// - Returns: the event to report; nil if there is nothing to report.
    mutating func answered(by address: RedisAddress) -> RedisEvent? {
        guard proof != nil else { return nil }
        (phase, failures) = (.proven, 0)
        return exchange(&isAwayReported, with: false) ? .back(address.words) : nil
    }

    /// Checks whether the connection has lasted for the proving time.
    /// - Returns: the event to report; nil if there is nothing to report.
    mutating func lasted(with address: RedisAddress, at now: Int64) -> RedisEvent? {
        guard let proof, now >= proof else { return nil }
        return answered(by: address)
    }

    /// `MOVED` has named this node. The caller must end the connection next.
    mutating func move(to address: RedisAddress) {
        moved = address
        doubtGreetings()
    }

    /// A Redis that had greeted has refused or sent on a command. From now on a connection without commands proves itself later.
    mutating func doubtGreetings() { provingTime = doubtfulProvingTime }

    /// The connection has ended, or could not be made.
    ///
    /// The first pause is at most 100 ms. Each failure doubles that, up to `longestRest`; half of each pause is random ("equal
    /// jitter").
    /// - Parameter chance: a random number in 0..<1.
    mutating func failed(_ failure: RedisFailure, at now: Int64, chance: Double) -> Action {
        why = failure.description
        guard moved == nil else {
            moves &+= 1
            phase = .moving(moves)
            return .goOn(move: moves)
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

    /// Redis has closed the connection while no command was under way.
    /// - Parameter quiet: for how long none was, in microseconds.
    /// - Returns: what to do if the connection was good and ended because it was idle; nil for the end of another one, which is a
    ///   failure.
    mutating func ended(afterQuiet quiet: Int64) -> Action? {
        guard case .proven = phase, quiet >= idleTime else { return nil }
        moves &+= 1
        phase = .moving(moves)
        return .goOn(move: moves)
    }

    /// The link ends and accepts no more commands.
    mutating func close() { isClosing = true }

    // MARK: Replies

    /// - Parameters:
    ///   - moves: how often the command was sent on to another node so far.
    ///   - address: the node that sent the reply.
    static func meaning(of reply: RedisReply, after moves: Int, from address: RedisAddress) -> Meaning {
        guard case .error(let words) = reply else { return .carriedOut }
        let parts = words.split(separator: " ")
        switch parts.first {
        case "MOVED", "ASK":
            guard parts.count == 3, moves < mostMoves,
                let other = RedisAddress(moved: parts[2], from: address)
            else { return .refused }
            return parts.first == "ASK" ? .asked(other) : .moved(other)
        case "READONLY", "MASTERDOWN", "LOADING", "CLUSTERDOWN": return .unfit(RedisFailure.words(of: words))
        // A replica before Redis 7 begins a script and reports its first write as an error of the script.
        case "ERR" where words.hasPrefix("ERR Error running script") && parts.contains("-READONLY"):
            return .unfit(RedisFailure.words(of: words))
        default: return .refused
        }
    }
}
