// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CCurl
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs
internal import Synchronization

/// One fetch on its way through its hops: libcurl's callbacks report events, and it decides the next step.
///
/// A hop ends when libcurl ends it, when a callback refuses to go on (and leaves the reason in `failure`), or
/// when a deadline passes. The head alone decides a response without a picture, however its body ended. A
/// picture that breaks off is resumed if its origin allows that (`TornBody`).
///
/// **Isolation:** the network thread.
final class Exchange {
    enum Step {
        /// Send another request, which `beginHop` prepares.
        case follow
        case done(DownloadTicket.Answer)
    }

    let ticket: DownloadTicket
    let easy: EasyHandle
    private(set) var deadlines: Deadlines

    private let request: Download
    private let context: ExchangeContext
    private var trail: HopTrail
    private var times: ExchangeTimes
    private var body = AnswerBody()
    /// The body whose rest was requested, until the answer's head decides about it.
    private var torn: TornBody?
    private var resumptions = 0
    /// True if the profile of any hop is private.
    private var isPrivate = false
    /// By the rules of the first hop. Where a reload comes between two, what is kept is then asked about, for its rules are
    /// those of before.
    private var told: ToldFields?
    /// Once nobody waits for its answer.
    private var remnant: Remnant?

    // Of the current hop.
    private var head: ReplyHead
    private var failure: DownloadFailure?
    private var mustStartOver = false
    /// The connection that libcurl chose is unusable; the hop is repeated over a new one.
    private var mustRedial = false
    private var connection: Connections.Connection?
    private var isExceeded = false
    private var dial: HopDial
    private var unkept = UnkeptBody()

    init(_ request: Download, _ ticket: DownloadTicket, _ easy: EasyHandle, _ context: ExchangeContext) {
        self.request = request
        self.ticket = ticket
        self.easy = easy
        self.context = context
        trail = HopTrail(request.url, context.configuration)
        times = ExchangeTimes(at: ExchangeContext.ticks, context.now())
        deadlines = Deadlines(context.limits, startedAt: times.started)
        head = Self.newHead(context)
        dial = HopDial(to: "", isProxied: false, isStore: false, context)
    }

    private var isConditional: Bool {
        guard request.ifNoneMatch != nil || request.ifModifiedSince != nil else { return false }
        guard let target = request.conditionTarget else { return trail.isAtStart }
        return !trail.isAtStart && target == Download.code(of: trail.url)
    }

    private var store: NamedStore? { trail.store }

    /// Whom it asks at present.
    var origin: SourceOrigin { trail.url.origin }

    /// True once nobody waits for its answer.
    var isRemnant: Bool { remnant != nil }

    /// The earliest moment at which `overdue` can end it.
    var alarm: Ticks { min(deadlines.next, remnant?.until ?? .max) }

    private static func newHead(_ context: ExchangeContext) -> ReplyHead {
        ReplyHead(
            byteLimit: context.configuration.headLimit, lineLimit: context.configuration.fieldLimit)
    }

    /// Prepares the handle for the next request. False if a reload took away what the request is about, or libcurl reads the
    /// URL otherwise than we do; `refusedHop` is the answer then.
    func beginHop() -> Bool {
        let configuration = context.configuration
        let url = trail.url
        let fields = HopFields(request, to: url, at: store, by: configuration)
        head = Self.newHead(context)
        guard fields.passesAll else {
            failure = .overloaded
            return false
        }
        if told == nil { told = configuration.told(request.fields) }
        let isRedial = mustRedial
        (mustStartOver, mustRedial, isExceeded) = (false, false, false)
        unkept = UnkeptBody()
        let profile = fields.profile
        if profile?.isPrivate == true { isPrivate = true }
        let isToProxy = request.purpose == .proxyConnection
        let proxy = isToProxy ? nil : configuration.proxy(for: url, profile)
        let now = ExchangeContext.ticks
        times.hopped(at: now)
        deadlines.hopped(at: now)
        let isAlone = context.connections.isDistrusted(url.origin, at: now)
        let way = EasyHandle.Way(
            proxy: proxy, isFresh: isAlone || isRedial, isLast: isAlone,
            connectsOnly: request.purpose != .picture, connectTimeout: configuration.connectTimeout)
        let trust = EasyHandle.Trust(
            authorities: profile?.authorities ?? configuration.authorities,
            certificate: profile?.certificate, key: profile?.key)
        let conditions = torn?.conditions ?? (isConditional ? request.conditions : [])
        let lines = fields.lines(conditions, at: context.now(), plain: easy.plainLines)
        let sent = store?.sent(url) ?? url
        dial = HopDial(
            to: proxy?.place.host ?? sent.host, isProxied: proxy != nil || isToProxy, isStore: store != nil,
            context)
        easy.prepare(sent, lines: lines, by: way, trust, for: self)
        context.lowerAlarm(to: deadlines.next)
        return LibcurlReading(sent.absolute)?.agrees(with: sent) == true
    }

    /// libcurl has not seen this hop, so its words are about another.
    var refusedHop: Step { failed(failure ?? refused(by: .malformed), words: "") }
}

// MARK: Callbacks

extension Exchange {
    /// libcurl is about to look up the hop's host, which is in no cache. False if there are too many lookups.
    func mayLookUp() -> Bool { dial.mayLookUp() }

    /// True if the address in this `sockaddr` may be dialled.
    func mayDial(_ address: UnsafeRawBufferPointer) -> Bool { dial.mayDial(address) }

    /// Records that no socket could be made for an address.
    func noSocket(_ error: SystemError) { dial.noSocket(error) }

    /// A connection, new or kept, is ready for the request; libcurl calls again if a kept one turns out to be
    /// dead. False if the connection may not be used.
    func connected(to address: IPAddress?, port: UInt16?, from localPort: UInt16?) -> Bool {
        let now = ExchangeContext.ticks
        dial.lookedUp(found: true)
        leave(isMalformed: false, at: now)
        // The connection for whose sake it went on is gone.
        if isRemnant { return stop(.cancelled) }
        guard let address, let port, dial.isOpen(address, port) else {
            return stop(refused(by: dial.refusal ?? .malformed))
        }
        let connections = context.connections
        if let localPort, let connection = connections.connection(from: localPort, to: address, port) {
            guard connections.mayAsk(connection, trail.url.origin, tls: easy.tls, at: now) else {
                mustRedial = true
                return false
            }
            self.connection = connection
        }
        dial.connected()
        times.connected(at: now, context.now())
        deadlines.connected(at: now)
        context.lowerAlarm(to: deadlines.next)
        context.counts.requests.add(1, ordering: .relaxed)
        return true
    }

    func opened(_ descriptor: Int32) { context.connections.opened(descriptor) }

    /// libcurl found bytes beyond the answer.
    func cameWithMore() { isExceeded = true }

    private func refused(by refusal: Refusal) -> DownloadFailure {
        trail.isAtStart ? .refused(by: refusal) : .redirectRefused(by: refusal)
    }

    /// False to stop the transfer; `failure` has the reason.
    func headLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch head.add(line) {
        case .more: return true
        case .tooLarge: return stop(.brokenReply(.headTooLarge))
        case .badFraming(.transferCoding): return stop(.brokenReply(.transferCoding))
        case .badFraming(.contentLength): return stop(.brokenReply(.malformed))
        case .complete:
            let now = ExchangeContext.ticks
            times.headArrived(at: now, context.now())
            if head.isMultiplexed, trail.url.scheme == .https, easy.mayMultiplex, let connection {
                context.connections.multiplexes(connection)
            }
            if head.isFramedTwice { easy.forbidReuse() }
            deadlines.headArrived(at: now)
            context.lowerAlarm(to: deadlines.next)
            if let remnant { return remnant.fits(easy.announcedLength ?? 0) || stop(.cancelled) }
            if let torn { return take(head, for: torn) }
            return !head.isPicture || openBody()
        }
    }

    /// Judges the answer to a request for the rest. False to stop the transfer.
    private func take(_ answer: ReplyHead, for torn: TornBody) -> Bool {
        switch torn.verdict(on: answer, length: easy.announcedLength) {
        case .rest(let total):
            self.torn = nil
            body.total = total
            // RFC 9111 §3.4: the parts are one message, as old as its first part.
            head = torn.head
            (times.requestTime, times.responseTime) = (torn.requestTime, torn.responseTime)
            context.counts.resumed.add(1, ordering: .relaxed)
            return true
        case .whole:
            restart()
            return openBody()
        case .startOver where resumptions < context.configuration.resumptionLimit:
            restart()
            resumptions += 1
            mustStartOver = true
            return false
        case .startOver, .giveUp:
            return stop(torn.failure)
        }
    }

    /// Drops the bytes received of the body.
    private func restart() {
        torn = nil
        body.drop()
        context.counts.restarted.add(1, ordering: .relaxed)
    }

    /// False to stop the transfer.
    func bodyBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        deadlines.received(bytes.count, at: ExchangeContext.ticks)
        if head.isPicture { context.counts.bodyBytes.add(bytes.count, ordering: .relaxed) }
        if let fits = remnant?.take(bytes.count) { return fits || stop(.cancelled) }
        guard head.isPicture else { return unkept.append(bytes, from: store) }
        do throws(DownloadFailure) {
            try body.append(bytes)
            return true
        } catch {
            return stop(error)
        }
    }

    /// False to stop the transfer.
    private func openBody() -> Bool {
        do throws(DownloadFailure) {
            try body.open(
                head.fields, length: easy.announcedLength, limit: context.configuration.bodyLimit,
                buffer: easy.buffer, makeFile: context.makeFile)
            return true
        } catch {
            return stop(error)
        }
    }

    private func stop(_ failure: DownloadFailure) -> Bool {
        self.failure = failure
        return false
    }
}

// MARK: Decisions

extension Exchange {
    /// Decides the next step after libcurl has ended the hop.
    func ended(_ code: CURLcode) -> Step {
        if code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY {
            dial.lookedUp(found: false)
        }
        let isReused = connection?.step.hasAnswered ?? false
        let isMalformed = failure == nil && failure(for: code) == .brokenReply(.malformed)
        let now = ExchangeContext.ticks
        if code == CURLE_OK, head.isComplete, let connection {
            context.connections.answered(
                connection, request.key, at: now, wait: times.wait,
                isLast: head.isConnectionsLast, isExceeded: isExceeded)
            self.connection = nil
        } else {
            leave(isMalformed: isMalformed, at: now)
        }
        if isRemnant { return Self.givenUp }
        if let failure { return failed(failure) }
        if mustStartOver || mustRedial { return .follow }
        if request.purpose != .picture, code == CURLE_OK { return .done(.success(reply(payload: nil))) }
        if isReused, isMalformed {
            // The bytes are the excess of the answer before.
            mustRedial = true
            return .follow
        }
        if head.isComplete && !head.isPicture { return decideByHead() }
        guard code == CURLE_OK, head.isComplete else { return broken(failure(for: code)) }
        return complete()
    }

    /// The hop is over, and the handle is out of the multi.
    func letGo() {
        let now = ExchangeContext.ticks
        dial.leaveLookup(at: now)
        leave(isMalformed: false, at: now)
    }

    /// Reports that the connection, if there is one, gave no complete answer.
    private func leave(isMalformed: Bool, at now: Ticks) {
        guard let connection = connection.take() else { return }
        context.connections.broke(
            connection, head.isComplete ? request.key : nil, isMalformed: isMalformed, at: now)
    }

    /// Nobody waits for the answer any more. True if the transfer goes on nonetheless, for the sake of what came over its
    /// connection before; false if it is to be cut.
    func becomesRemnant(at now: Ticks) -> Bool {
        guard !isRemnant, let step = connection?.step, step.hasAnswered, !step.isMultiplexed else {
            return false
        }
        let remnant = Remnant(since: now)
        if head.isComplete {
            // An answer that does not tell its length is bounded as it comes.
            let rest = (easy.announcedLength ?? 0) - (body.count ?? 0)
            guard remnant.fits(rest) else { return false }
        }
        body.drop()
        self.remnant = remnant
        return true
    }

    /// The next step if a deadline has passed; nil otherwise.
    func overdue(at now: Ticks) -> Step? {
        if let remnant, now >= remnant.until { return Self.givenUp }
        guard let stage = deadlines.expired(at: now) else { return nil }
        if isRemnant { return Self.givenUp }
        if head.isComplete && !head.isPicture && stage != .total { return decideByHead() }
        return stage == .total ? failed(.timedOut(stage)) : broken(.timedOut(stage))
    }

    /// The end of a fetch that nobody waits for.
    static let givenUp = Step.done(.failure(FailedDownload(.cancelled)))

    /// The end of a slow transfer whose permit others need.
    var givenWay: Step { failed(.overloaded) }

    /// Resumes the body after a broken hop, if that is possible; fails otherwise.
    private func broken(_ failure: DownloadFailure) -> Step {
        guard torn == nil, head.isComplete, Self.isPassing(failure),
            resumptions < context.configuration.resumptionLimit, let count = body.count,
            let torn = TornBody(
                head, requestTime: times.requestTime, responseTime: times.responseTime, received: count,
                total: body.total, failure: failure)
        else { return failed(failure) }
        self.torn = torn
        resumptions += 1
        return .follow
    }

    /// True for failures of the network path rather than of the answer.
    private static func isPassing(_ failure: DownloadFailure) -> Bool {
        failure == .brokenReply(.cutShort) || failure == .timedOut(.idle)
    }

    /// - Parameter words: libcurl's, if there are none of our own.
    private func failed(_ failure: DownloadFailure, words: String? = nil) -> Step {
        if torn != nil { context.counts.unresumed.add(1, ordering: .relaxed) }
        return .done(
            .failure(
                FailedDownload(failure, at: trail.place, hops: trail.hops, words: words ?? easy.error)))
    }

    private func decideByHead() -> Step {
        do throws(DownloadFailure) {
            if head.status == 304, !isConditional { throw .brokenReply(.notModifiedUnasked) }
            // RFC 9110 §15.4: a redirect without Location is an ordinary answer.
            if Redirect.isRedirect(head.status), let location = head.fields["location"] {
                try trail.follow(head, to: location, context.configuration)
                return .follow
            }
            return .done(.success(reply(payload: nil)))
        } catch {
            return failed(error)
        }
    }

    private func complete() -> Step {
        do throws(DownloadFailure) {
            return .done(.success(reply(payload: try body.finish())))
        } catch {
            return failed(error)
        }
    }

    private func reply(payload: DownloadReply.Payload?) -> DownloadReply {
        DownloadReply(
            status: head.status, fields: head.fields, payload: payload, finalURL: trail.place,
            hops: trail.hops, requestTime: times.requestTime, responseTime: times.responseTime,
            timing: times.ended(at: ExchangeContext.ticks), words: unkept.words(of: store),
            isKeyRefused: unkept.isAboutKey(head.status), isPrivate: isPrivate,
            told: trail.isAtStart ? told?.directly(request.url) : told?.anywhere)
    }

    private func failure(for code: CURLcode) -> DownloadFailure {
        switch dial.problem(for: code, askedFor: trail.url.host) {
        case .failed(let failure): failure
        case .refused(let refusal): refused(by: refusal)
        }
    }
}
