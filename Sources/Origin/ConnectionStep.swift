// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// Whether a kept HTTP/1.1 connection is in step: whether what comes next on it answers what is asked next.
///
/// HTTP/1.1 numbers nothing. Where an origin sends more than it announced, the rest lies in front of the next
/// answer, and from then on every answer is the one before. What lies there can be seen before the next
/// request goes out; what comes a moment later cannot. So an answer proves nothing of itself, and silence
/// behind it does:
///
///     in step ──answer──▶ a run: answers, and short pauses ──silence as long as `settle`──▶ in step
///                           │                     │
///                           │                     └──older than `runTime`──▶ no further request
///                           └──input that nobody asked for──▶ out of step: the run is to be forgotten
///
/// The first answer of a connection is certain: nothing was there to come before it. Those behind it are
/// suspect as long as the run lasts, and the run is bounded, so that a wrong picture is found out within a
/// second, whether or not there is ever a pause. A server that lets its next answer wait for longer than that looks
/// silent meanwhile: so what silence has proved is disproved by input that comes later. HTTP/2 numbers its streams: such a connection is always in
/// step.
struct ConnectionStep {
    struct Limits {
        /// Silence after the last answer that proves the run: more than the fifth of a second by which
        /// servers that flush late are late. What a slow origin took for a head comes on top, since the
        /// answer to the request that was answered by the excess takes as long.
        var settle: Ticks = 300_000
        var longestSettle: Ticks = 5_000_000
        /// From a run's first answer to its last request's expected answer. With `settle` and the moment that
        /// forgetting takes it stays within a second.
        var runTime: Ticks = 500_000
        /// Answers of a run; each is remembered.
        var runLength = 256
        /// From the last answer, as long as input may disprove what silence has proved.
        var memory: Ticks = 10_000_000
    }

    /// What a look at the idle socket shows.
    enum Sighting {
        case nothing
        /// The other side has closed or reset it, and left nothing.
        case end
        /// It is about to close, or speaks of TLS alone.
        case closing
        /// Bytes of an answer.
        case input
    }

    enum Permission { case granted, refused, outOfStep }

    enum Finding: Equatable {
        /// Nothing yet; to be looked at again then.
        case open(until: Ticks)
        case inStep
        /// Not to be told any more, because it ends in the middle of an answer.
        case doubtful
        case outOfStep
    }

    private let limits: Limits
    /// A request is under way.
    private(set) var isBusy = false
    private(set) var isMultiplexed = false
    /// Found out of step: no request goes over it any more.
    private(set) var isLost = false
    private(set) var hasAnswered = false
    /// The last answer said that it is the connection's last.
    private var isEndAnnounced = false
    /// Whose answers came since it was last in step, oldest first.
    private var run: [OriginalKey] = []
    /// What would have been suspect in the run before, which silence proved.
    private var proven: [OriginalKey] = []
    /// The run's first answer is the connection's.
    private var firstIsCertain = false
    private var began: Ticks = 0
    private var lastAnswer: Ticks = 0
    /// The longest wait for a head in this run.
    private var slowest: Ticks = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// There is something to prove, and nothing under way.
    var isUnproven: Bool { !run.isEmpty && !isBusy && !isLost && !isMultiplexed }

    /// A look at it may show something.
    var isWatched: Bool { isUnproven || !proven.isEmpty && !isBusy && !isLost && !isMultiplexed }

    /// Whether what it shows after its end still matters.
    var holdsSuspects: Bool { isUnproven && run.count > (firstIsCertain ? 1 : 0) }

    /// Answers that may be wrong after such a finding.
    func suspects(_ finding: Finding) -> [OriginalKey] {
        switch finding {
        case .open, .inStep: []
        // One answer too many has to be there before there is a wrong one.
        case .doubtful: Array(run.dropFirst())
        case .outOfStep: proven + suspectsOfRun
        }
    }

    private var suspectsOfRun: ArraySlice<OriginalKey> { firstIsCertain ? run.dropFirst() : run[...] }

    private var settled: Ticks { lastAnswer + min(limits.settle + slowest, limits.longestSettle) }

    // MARK: Events

    mutating func multiplexes() {
        isMultiplexed = true
        (run, proven) = ([], [])
    }

    /// A request wants to go out.
    mutating func ask(at now: Ticks, seeing sight: () -> Sighting) -> Permission {
        if isMultiplexed { return .granted }
        if isBusy {
            // HTTP/1.1 is not pipelined here: it takes a second stream.
            multiplexes()
            return .granted
        }
        if isLost { return .refused }
        if hasAnswered {
            switch sight() {
            case .input:
                isLost = true
                return .outOfStep
            case .end, .closing: return .refused
            case .nothing: break
            }
            if now >= settled { prove() }
            let isLate = now - began + slowest >= limits.runTime || run.count >= limits.runLength
            if !run.isEmpty, isLate { return .refused }
        }
        isBusy = true
        return .granted
    }

    /// An answer is complete.
    ///
    /// - Parameters:
    ///   - wait: from the request to its head.
    ///   - isLast: it says that the connection ends behind it.
    ///   - isExceeded: bytes that belong to no answer came with its last.
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

    /// The request under way ends without a whole answer, and the connection with it.
    ///
    /// - Parameters:
    ///   - key: where the head of an answer came, and decided something.
    ///   - isMalformed: what came is no HTTP.
    /// - Returns: `.open` never.
    mutating func broke(_ key: OriginalKey?, isMalformed: Bool) -> Finding {
        guard !isMultiplexed else { return .inStep }
        isBusy = false
        guard hasAnswered else { return .inStep }
        isLost = true
        if run.isEmpty { firstIsCertain = false }
        if let key { run.append(key) }
        // What would have come behind the answer that broke off will not be seen.
        return isMalformed ? .outOfStep : .doubtful
    }

    /// A look at it while it is watched.
    mutating func look(at now: Ticks, seeing sight: Sighting) -> Finding {
        guard isUnproven else { return lookAgain(at: now, seeing: sight) }
        switch sight {
        case .input:
            isLost = true
            return .outOfStep
        case .end:
            // An end that nobody announced may be that of a server that was one answer ahead, and has not read our
            // last request.
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
            return lookAgain(at: now, seeing: sight)
        }
    }

    /// At what silence has proved.
    private mutating func lookAgain(at now: Ticks, seeing sight: Sighting) -> Finding {
        guard isWatched else { return .inStep }
        if sight == .input {
            isLost = true
            return .outOfStep
        }
        let end = lastAnswer + limits.memory
        if sight == .nothing, now < end { return .open(until: end) }
        proven = []
        return .inStep
    }

    private mutating func prove() {
        if !run.isEmpty { proven = Array(suspectsOfRun) }
        run = []
        slowest = 0
    }
}
