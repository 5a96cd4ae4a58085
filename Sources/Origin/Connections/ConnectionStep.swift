// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Detects response desynchronisation on a kept HTTP/1.1 connection: decides whether the next response
/// answers the next request.
///
/// HTTP/1.1 does not number its messages. If an origin sends more than it announced, the excess lies in front
/// of the next answer, and each answer from then on belongs to the request before. An excess that has arrived
/// shows before the next request goes out; one that arrives a moment later does not. So an answer alone
/// proves nothing, and silence after it does:
///
///     in step ──answer──▶ a run: answers, and short pauses ──silence as long as `settle`──▶ in step
///                         │                  │
///                         │                  └──older than `runTime`──▶ no further request
///                         └──unexpected input──▶ out of step: the run's answers are forgotten
///
/// The first answer of a connection is certain, because nothing came before it. Later answers are suspect
/// while the run lasts. A run is bounded, so that a wrong picture is found out within a second even without a
/// pause. A server that delays its next answer for longer looks silent meanwhile, so later input disproves an
/// earlier proof. HTTP/2 numbers its streams: an HTTP/2 connection is always in step.
///
/// An answer that breaks off during a run can never be proved, because the connection ends with it. Its `ETag` does not identify it
/// either: an attacker may have chosen the tag, and a server that makes tags of a modification time and a size may give two pictures
/// the same one. So its bytes are dropped instead of being completed by a range request (`Exchange.dropSuspect`), and its key is
/// not a suspect.
struct ConnectionStep {
    struct Limits {
        /// Microseconds of silence after the last answer that prove the run: more than the 200 ms by which
        /// servers with delayed flushes are late. The longest wait for a head in this run is added: if an excess
        /// was taken for the last answer, the true one comes as late as the server takes to make it.
        var settle: Ticks = 300_000
        /// The upper bound of that sum, in microseconds.
        var longestSettle: Ticks = 5_000_000
        /// Microseconds from a run's first answer to the expected answer of its last request. Together with
        /// `settle` and the time to forget, it stays within a second (`OriginConfiguration.unprovenTime`).
        var runTime: Ticks = 500_000
        /// The most answers of a run; the key of each is stored.
        var runLength = 256
        /// Microseconds after the last answer in which input can still disprove a proof by silence.
        var memory: Ticks = 10_000_000
    }

    /// The result of a look at an idle socket (recv(2), `MSG_PEEK`).
    enum Peek {
        case nothing
        /// The peer has closed or reset the connection, and left no data.
        case end
        /// Only TLS records that contain no answer, such as an alert before the close.
        case closing
        /// Bytes of an answer.
        case input
    }

    enum Permission { case granted, refused, outOfStep }

    enum Finding: Equatable {
        /// Undecided; the next look is due at that time.
        case open(until: Ticks)
        case inStep
        /// Undecidable, because the connection ended in the middle of an answer.
        case doubtful
        case outOfStep
    }

    private let limits: Limits
    /// True while a request is under way.
    private(set) var isBusy = false
    private(set) var isMultiplexed = false
    /// True once the connection was found out of step; it carries no further request.
    private(set) var isLost = false
    private(set) var hasAnswered = false
    /// True if the last answer announced the end of the connection.
    private var isEndAnnounced = false
    /// Keys of the answers since the connection was last in step, oldest first.
    private var run: [OriginalKey] = []
    /// The suspects of the previous run, which silence has proved.
    private var proven: [OriginalKey] = []
    /// True if the run's first answer is the connection's first.
    private var firstIsCertain = false
    private var began: Ticks = 0
    private var lastAnswer: Ticks = 0
    /// The longest wait for a head in this run, in microseconds.
    private var slowest: Ticks = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// True while a run waits for its proof, and no request is under way.
    var isUnproven: Bool { !run.isEmpty && !isBusy && !isLost && !isMultiplexed }

    /// True while a look at the socket can decide something.
    var isWatched: Bool { isUnproven || !proven.isEmpty && !isBusy && !isLost && !isMultiplexed }

    /// True if the answer under way may belong to another request.
    var isAnswerSuspect: Bool { isBusy && !run.isEmpty && !isMultiplexed }

    /// True if input could still show that answers were wrong, so that the socket must stay open when libcurl closes it.
    var holdsSuspects: Bool { isUnproven && run.count > (firstIsCertain ? 1 : 0) }

    /// Keys of the answers that are not proved yet, oldest first.
    var inDoubt: ArraySlice<OriginalKey> { isLost || isMultiplexed ? [] : suspectsOfRun }

    /// Keys of the answers that may be wrong, given this finding.
    func suspects(_ finding: Finding) -> [OriginalKey] {
        switch finding {
        case .open, .inStep: []
        // The first answer cannot be wrong unless an excess came before it.
        case .doubtful: Array(run.dropFirst())
        case .outOfStep: proven + suspectsOfRun
        }
    }

    private var suspectsOfRun: ArraySlice<OriginalKey> { firstIsCertain ? run.dropFirst() : run[...] }

    private var settled: Ticks { lastAnswer + min(limits.settle + slowest, limits.longestSettle) }

    // MARK: Events

    /// The connection turns out to be one of HTTP/2.
    mutating func multiplexes() {
        isMultiplexed = true
        (run, proven) = ([], [])
    }

    /// Asks whether a request may go out.
    /// - Parameters:
    ///   - mayShare: false if the connection is known to carry one request at a time.
    ///   - mayDoubt: false if no further answer may come into doubt. Then only a connection's first request is
    ///     granted, because every later answer is in doubt at first.
    ///   - peek: looks at the idle socket.
    mutating func ask(
        at now: Ticks, mayShare: Bool = true, mayDoubt: Bool = true, seeing peek: () -> Peek
    ) -> Permission {
        if isMultiplexed { return .granted }
        if isBusy {
            // When libcurl 7.88 looks for an HTTP/2 connection to share, it may choose a busy HTTP/1.1 connection to the same host.
            guard mayShare else { return .refused }
            // HTTP/1.1 is not pipelined here, so the request is a second stream of HTTP/2.
            multiplexes()
            return .granted
        }
        if isLost { return .refused }
        if hasAnswered {
            switch peek() {
            case .input:
                isLost = true
                return .outOfStep
            case .end, .closing: return .refused
            case .nothing: break
            }
            if now >= settled { prove() }
            guard mayDoubt else { return .refused }
            let isLate = now - began + slowest >= limits.runTime || run.count >= limits.runLength
            if !run.isEmpty, isLate { return .refused }
        }
        isBusy = true
        return .granted
    }

    /// Records a complete answer.
    ///
    /// - Parameters:
    ///   - wait: microseconds from the request to the answer's head.
    ///   - isLast: the answer announces the end of the connection.
    ///   - isExceeded: bytes beyond the answer came together with it.
    mutating func answered(
        _ key: OriginalKey, at now: Ticks, wait: Ticks, isLast: Bool, isExceeded: Bool
    ) -> Finding {
        guard !isMultiplexed else { return .inStep }
        isBusy = false
        isEndAnnounced = isLast
        if run.isEmpty {
            began = now
            firstIsCertain = !hasAnswered
        }
        hasAnswered = true
        run.append(key)
        lastAnswer = now
        slowest = max(slowest, wait)
        if isExceeded {
            isLost = true
            return .outOfStep
        }
        return .open(until: settled)
    }

    /// Records that the request under way ended, and the connection with it, without a whole answer.
    ///
    /// - Parameters:
    ///   - key: the original's key if a head arrived and something of the answer is used; nil otherwise.
    ///   - isMalformed: the bytes received are not HTTP.
    /// - Returns: never `.open`.
    mutating func broke(_ key: OriginalKey?, isMalformed: Bool) -> Finding {
        guard !isMultiplexed else { return .inStep }
        isBusy = false
        guard hasAnswered else { return .inStep }
        isLost = true
        if run.isEmpty { firstIsCertain = false }
        if let key { run.append(key) }
        // Input behind the broken answer can no longer be seen.
        return isMalformed ? .outOfStep : .doubtful
    }

    /// Judges a look at the socket of a watched connection.
    mutating func look(at now: Ticks, seeing peek: Peek) -> Finding {
        guard isUnproven else { return lookAgain(at: now, seeing: peek) }
        switch peek {
        case .input:
            isLost = true
            return .outOfStep
        case .end:
            // A server that is one answer ahead may close without having read our last request, so an end
            // without announcement is doubtful.
            guard isEndAnnounced else {
                isLost = true
                return .doubtful
            }
            prove()
            proven = []
            return .inStep
        case .nothing, .closing:
            guard now >= settled else { return .open(until: settled) }
            prove()
            return lookAgain(at: now, seeing: peek)
        }
    }

    /// Ends the wait for a proof. An end of the connection that was announced but has not come proves nothing.
    /// - Returns: never `.open`.
    mutating func giveUp() -> Finding {
        guard isUnproven else { return .inStep }
        isLost = true
        return .doubtful
    }

    /// Judges a look after silence has proved the run.
    private mutating func lookAgain(at now: Ticks, seeing peek: Peek) -> Finding {
        guard isWatched else { return .inStep }
        if peek == .input {
            isLost = true
            return .outOfStep
        }
        let end = lastAnswer + limits.memory
        if peek == .nothing, now < end { return .open(until: end) }
        proven = []
        return .inStep
    }

    private mutating func prove() {
        if !run.isEmpty { proven = Array(suspectsOfRun) }
        run = []
        slowest = 0
    }
}
