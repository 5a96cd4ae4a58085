// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import Glibc
internal import HTTPSemantics
internal import SourceURLs
internal import Synchronization

/// Tracks every socket of libcurl from its opening to its close, with its `ConnectionStep`.
///
/// libcurl 7.88 has no identifier for a connection (CURLINFO_CONN_ID came with 8.2), but it calls us to open and close its
/// sockets, and names both addresses before each request. A socket that libcurl closes stays open here until its answers are
/// proved, because a server that is one answer behind still sends that answer.
///
/// **Isolation:** the network thread; outlives every connection of its multi.
final class Connections {
    /// One socket.
    final class Connection {
        let descriptor: Int32
        fileprivate(set) var step: ConnectionStep
        /// The exchange that last sent a request.
        weak var asker: (any ConnectionAsker)?
        /// The origin of the connection's requests; nil before the first.
        fileprivate var origin: SourceOrigin?
        fileprivate var ends: ConnectionEnds?
        /// OpenSSL's handle, for a look at the bytes it has read ahead. libcurl frees it with the connection.
        fileprivate var tls: UnsafeMutableRawPointer?
        /// True until libcurl closes the socket.
        fileprivate var isOpen = true
        /// True once the socket cannot show anything but its end.
        fileprivate var isQuiet = false
        fileprivate var isClosed = false
        /// The keys of its run that have been entered in `unproven`.
        fileprivate var entered: [OriginalKey] = []

        fileprivate init(_ descriptor: Int32, _ limits: ConnectionStep.Limits) {
            self.descriptor = descriptor
            step = ConnectionStep(limits)
        }

        fileprivate func peek() -> ConnectionStep.Peek {
            if let tls, ccurl_tls_holds_input(tls) != 0 { return .input }
            return ConnectionStep.Peek(at: descriptor, isEncrypted: origin?.scheme == .https)
        }
    }

    /// Sockets watched after libcurl has closed them. Beyond the limit the oldest is closed, and its unproved answers are
    /// forgotten.
    static let lingerLimit = 128

    private let configuration: OriginConfiguration
    private let counts: AtomicDownloadCounters
    private let unproven: UnprovenAnswers
    private let report: @Sendable (Desync) -> Void
    private var limits = ConnectionStep.Limits()
    private var open: [Int32: Connection] = [:]
    /// Connections whose sockets are worth looking at, because a look can decide something.
    private var suspected: [Int32: Connection] = [:]
    /// The connections of `suspected` that libcurl has closed, oldest first.
    private var lingering: [Connection] = []
    private var distrusted = DistrustedOrigins()
    /// Origins whose answers over HTTP/2 have no `Content-Length`.
    private var unmeasured = DistrustedOrigins()
    private var isShut = false

    init(
        _ configuration: OriginConfiguration, _ counts: AtomicDownloadCounters,
        _ unproven: UnprovenAnswers = UnprovenAnswers(), report: @escaping @Sendable (Desync) -> Void
    ) {
        self.configuration = configuration
        self.counts = counts
        self.unproven = unproven
        self.report = report
        limits.runTime = configuration.unprovenTime.ticks
    }

    deinit { for connection in lingering { Glibc.close(connection.descriptor) } }

    /// True while each connection to this origin serves a single request.
    func isDistrusted(_ origin: SourceOrigin, at now: Ticks) -> Bool { distrusted.contains(origin, at: now) }

    /// True while requests to this origin use HTTP/1.1, because this libcurl takes an HTTP/2 answer without a length for complete
    /// even if its stream was reset (`EasyHandle.overlooksResets`).
    func isUnmeasured(_ origin: SourceOrigin, at now: Ticks) -> Bool { unmeasured.contains(origin, at: now) }

    /// Makes requests to this origin use HTTP/1.1 for a while.
    func answersUnmeasured(_ origin: SourceOrigin, at now: Ticks) {
        unmeasured.insert(origin, until: now + configuration.distrust.ticks, at: now)
    }

    /// True if a connection to this origin has, or may have, a request under way.
    func isAsked(_ origin: SourceOrigin) -> Bool {
        open.values.contains { $0.origin == origin && ($0.step.isBusy || $0.step.isMultiplexed) }
    }

    // MARK: Events of libcurl

    /// - Returns: the new connection; nil if there is no socket.
    func opened(_ descriptor: Int32) -> Connection? {
        guard descriptor >= 0 else { return nil }
        let connection = Connection(descriptor, limits)
        suspected[descriptor] = nil
        open[descriptor] = connection
        return connection
    }

    /// Called when the hop that opened the socket is over. Forgets the connection if no request went over it, because libcurl
    /// before 8.2 does not report the close of a socket that never got connected.
    func leave(_ connection: Connection) {
        guard connection.origin == nil, open[connection.descriptor] === connection else { return }
        open[connection.descriptor] = nil
    }

    /// Called when libcurl gives up the socket.
    func closed(_ descriptor: Int32, at now: Ticks) {
        guard let connection = open.removeValue(forKey: descriptor), !isShut else {
            Glibc.close(descriptor)
            return
        }
        connection.isOpen = false
        connection.tls = nil
        // If a request is under way, the exchange first reports how it ended.
        if !connection.step.isBusy || connection.step.isMultiplexed { endOrLinger(connection, at: now) }
    }

    /// Called before libcurl closes all its sockets.
    func shut() { isShut = true }

    private func endOrLinger(_ connection: Connection, at now: Ticks) {
        guard !connection.isClosed else { return }
        guard connection.step.holdsSuspects else { return end(connection) }
        lingering.append(connection)
        suspected[connection.descriptor] = connection
        if lingering.count > Self.lingerLimit { giveUp(lingering[0], at: now) }
    }

    /// Stops watching a socket, and forgets its answers that are not proved by now.
    private func giveUp(_ connection: Connection, at now: Ticks) {
        var finding = connection.step.look(at: now, seeing: connection.peek())
        if case .open = finding { finding = connection.step.giveUp() }
        act(on: finding, connection, at: now)
    }

    private func end(_ connection: Connection) {
        suspected[connection.descriptor] = nil
        lingering.removeAll { $0 === connection }
        connection.isClosed = true
        unproven.remove(connection.entered)
        connection.entered = []
        Glibc.close(connection.descriptor)
    }

    // MARK: Events of exchanges

    /// The open connection between these two ends; nil if there is none.
    func connection(from local: UInt16, to address: IPAddress, _ remote: UInt16) -> Connection? {
        let ends = ConnectionEnds(local: local, remote: remote, address: address)
        return open.values.first { connection in
            if connection.ends == nil { connection.ends = ConnectionEnds(of: connection.descriptor) }
            return connection.ends == ends
        }
    }

    /// False if no request may go out over the connection, because it cannot be used any more, or not at present.
    /// - Parameter mayShare: false if the connection is known to carry one request at a time.
    func mayAsk(
        _ connection: Connection, _ origin: SourceOrigin, mayShare: Bool, tls: UnsafeMutableRawPointer?,
        at now: Ticks
    ) -> Bool {
        connection.origin = origin
        connection.tls = tls
        defer { updateUnproven(by: connection) }
        let permission = connection.step.ask(at: now, mayShare: mayShare, mayDoubt: !unproven.isFull) {
            connection.peek()
        }
        switch permission {
        case .granted:
            suspected[connection.descriptor] = nil
            return true
        case .refused:
            return false
        case .outOfStep:
            act(on: .outOfStep, connection, at: now)
            return false
        }
    }

    func multiplexes(_ connection: Connection) {
        connection.step.multiplexes()
        updateUnproven(by: connection)
    }

    func answered(
        _ connection: Connection, _ key: OriginalKey, at now: Ticks, wait: Ticks, isLast: Bool,
        isExceeded: Bool
    ) {
        // Bytes that OpenSSL has buffered arrived together with the answer.
        let isExceeded = isExceeded || connection.tls.map { ccurl_tls_holds_input($0) != 0 } ?? false
        act(
            on: connection.step.answered(key, at: now, wait: wait, isLast: isLast, isExceeded: isExceeded),
            connection, at: now)
    }

    func broke(_ connection: Connection, _ key: OriginalKey?, isMalformed: Bool, at now: Ticks) {
        act(on: connection.step.broke(key, isMalformed: isMalformed), connection, at: now)
    }

    private func act(on finding: ConnectionStep.Finding, _ connection: Connection, at now: Ticks) {
        let suspects = connection.step.suspects(finding)
        if finding == .outOfStep, let origin = connection.origin {
            counts.outOfStep.add(1, ordering: .relaxed)
            distrusted.insert(origin, until: now + configuration.distrust.ticks, at: now)
        }
        if finding == .outOfStep || !suspects.isEmpty, let origin = connection.origin {
            counts.forgotten.add(suspects.count, ordering: .relaxed)
            report(
                Desync(origin: origin, isCertain: finding == .outOfStep, forgotten: Set(suspects)))
        }
        // Answers stay in doubt until they are forgotten, so the report comes before the change.
        updateUnproven(by: connection)
        if connection.isOpen {
            suspected[connection.descriptor] = connection.step.isWatched ? connection : nil
        } else if suspected[connection.descriptor] == nil {
            endOrLinger(connection, at: now)
        } else if !connection.step.isUnproven {
            end(connection)
        }
    }

    /// Brings `unproven` up to date with the connection's run. Called after each event. A run only grows until it ends as a whole,
    /// so the number of its answers shows what has changed.
    private func updateUnproven(by connection: Connection) {
        guard !connection.isClosed else { return }
        let run = connection.step.inDoubt
        if run.count < connection.entered.count {
            unproven.remove(connection.entered)
            connection.entered = []
        }
        guard run.count > connection.entered.count else { return }
        let added = Array(run.dropFirst(connection.entered.count))
        unproven.insert(added)
        connection.entered += added
    }

    // MARK: Silence

    /// True while silence may still prove an answer that is in doubt.
    var holdSuspects: Bool { suspected.values.contains(where: \.step.holdsSuspects) }

    /// Forgets the answers that are in doubt.
    func forgetSuspects(at now: Ticks) {
        for connection in suspected.values where connection.step.holdsSuspects {
            act(on: connection.step.giveUp(), connection, at: now)
        }
    }

    /// Sockets on which input would decide something.
    var watched: [Int32] { suspected.values.filter { !$0.isQuiet }.map(\.descriptor) }

    /// Looks at the sockets with input, and at those that have been silent for long enough.
    /// - Returns: the time of the next look.
    func lookAtSockets(at now: Ticks, input: [Int32]) -> Ticks {
        var next = Ticks.max
        for (descriptor, connection) in suspected {
            defer { updateUnproven(by: connection) }
            if !input.contains(descriptor),
                case .open(let until) = connection.step.look(at: now, seeing: .nothing),
                until > now
            {
                next = min(next, until)
                continue
            }
            let peek = connection.peek()
            connection.isQuiet = peek == .closing
            let finding = connection.step.look(at: now, seeing: peek)
            if case .open(let until) = finding { next = min(next, until) }
            act(on: finding, connection, at: now)
        }
        return next
    }
}

/// The sender of a request over a connection: an exchange.
protocol ConnectionAsker: AnyObject {
    /// libcurl gives this connection to the next request. If libcurl has said that it keeps the connection, the present answer is
    /// complete.
    func handedOn(_ connection: Connections.Connection, at now: Ticks)
}
