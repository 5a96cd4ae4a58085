// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics
internal import SourceURLs

/// One fetch on its way through its hops: libcurl's callbacks report events, and it decides the next step.
///
/// A hop ends when libcurl ends it, when a callback refuses to go on (and leaves the reason in `hop.failure`), or
/// when a deadline passes. The head alone decides a response without a picture, however its body ended. A
/// picture that breaks off is resumed if its origin allows that (`IncompleteBody`).
///
/// It is in five files: the state and the beginning of a hop; the callbacks; the decisions; the failures; what `Connections` is
/// told. Only these read and change the state.
///
/// **Isolation:** the network thread.
final class Exchange: ConnectionAsker {
    enum Step {
        /// Send another request, which `beginHop` prepares.
        case follow
        case done(DownloadTicket.Answer)
    }

    let ticket: DownloadTicket
    let easy: EasyHandle
    var deadlines: Deadlines

    let request: Download
    let context: ExchangeContext
    var trail: HopTrail
    var times: ExchangeTimes
    var body = AnswerBody()
    /// The body whose rest was requested, until the answer's head decides about it.
    var incomplete: IncompleteBody?
    var resumptions = 0
    /// True if the last request for the rest made the body begin anew.
    var hasRestarted = false
    var cookies = HopCookies()
    /// True if the profile of any hop is private.
    var isPrivate = false
    /// The fields under the configuration of the first hop. If a reload comes between two hops, the stored original is
    /// revalidated later, because its fields are those of before the reload.
    var sentFields: SentFields?
    /// Set once nobody waits for the answer.
    var abandoned: AbandonedTransfer?

    var hop: CurrentHop

    init(_ request: Download, _ ticket: DownloadTicket, _ easy: EasyHandle, _ context: ExchangeContext) {
        self.request = request
        self.ticket = ticket
        self.easy = easy
        self.context = context
        trail = HopTrail(request.url, context.configuration)
        times = ExchangeTimes(at: ExchangeContext.ticks, context.now())
        deadlines = Deadlines(context.limits, startedAt: times.started)
        hop = CurrentHop(to: request.url.origin, at: times.started, context)
    }

    var isConditional: Bool {
        guard request.ifNoneMatch != nil || request.ifModifiedSince != nil else { return false }
        guard let target = request.conditionTarget else { return trail.isAtStart }
        return !trail.isAtStart && target == Download.code(of: trail.url)
    }

    var store: NamedStore? { trail.store }

    /// The origin of the present URL.
    var origin: SourceOrigin { trail.url.origin }

    /// True once nobody waits for the answer.
    var isAbandoned: Bool { abandoned != nil }

    /// True once the head has decided the result, so that the rest is read only for the connection or a store's words.
    var isDraining: Bool { hop.head.isComplete && !hop.head.isPicture }

    /// True while the exchange waits for a connection that others use, or for libcurl to begin with it.
    var isWaiting: Bool { hop.dial.isWaiting }

    /// Notes that another hop to the same origin may get a connection now.
    func noteMove() { context.noteMove(at: hop.origin) }

    /// The earliest moment at which `overdue` can end the exchange, or its patience ends.
    var alarm: Ticks { min(deadlines.next, abandoned?.until ?? .max, patienceEnd) }

    /// When the exchange stops waiting for a connection that another one makes; `.max` if it does not wait for one.
    var patienceEnd: Ticks { isWaiting ? hop.patienceEnd : .max }

    /// Makes the hop dial itself. The handle must be out of the multi.
    func stopWaiting() {
        hop.patienceEnd = .max
        easy.stopWaiting()
    }

    /// Makes the hop wait for longer, because another one to its origin dials now.
    func waitOn(since now: Ticks) {
        hop.waitsForOthers(since: now, timeout: context.configuration.connectTimeout.ticks)
    }

    /// Prepares the handle for the next request. False if a reload removed the request's store or fields, or if libcurl reads the
    /// URL differently from Pictor; then `refusedHop` is the result.
    func beginHop() -> Bool {
        let configuration = context.configuration
        let url = trail.url
        let fields = HopFields(request, to: url, at: store, by: configuration)
        let now = ExchangeContext.ticks
        hop = CurrentHop(to: url.origin, redial: hop.mustRedial, at: now, context)
        guard fields.passesAll else {
            hop.failure = .overloaded
            return false
        }
        if sentFields == nil { sentFields = configuration.sentFields(request.fields) }
        let profile = fields.profile
        if profile?.isPrivate == true { isPrivate = true }
        hop.rule = fields.rule
        hop.keepsCookies = profile?.keepsCookies ?? false
        hop.lacksKey = store?.lacksKey ?? trail.hasLeftKey
        hop.isAuthorized = profile?.authorizes ?? false
        let isToProxy = request.purpose == .proxyConnection
        let proxy = isToProxy ? nil : configuration.proxy(for: url.host, profile)
        hop.asksProxy = proxy?.scheme == .http && url.scheme == .http
        times.hopped()
        deadlines.hopped(at: now)
        let use = connectionUse(by: proxy, at: now)
        let trust = EasyHandle.Trust(
            authorities: profile?.authorities ?? configuration.authorities,
            certificate: profile?.certificate, key: profile?.key)
        let conditions = incomplete?.conditions ?? (isConditional ? request.conditions : [])
        let lines = fields.lines(conditions, cookies, at: context.now(), plain: easy.plainLines)
        let sent = store?.sent(url) ?? url.sent
        hop.dial = HopDial(
            to: proxy?.place.host ?? sent.host, isProxied: proxy != nil || isToProxy, isStore: store != nil,
            context)
        easy.prepare(sent, lines: lines, use, trust, for: self)
        context.lowerAlarm(to: alarm)
        return LibcurlReading(sent.absolute)?.agrees(with: sent) == true
    }

    /// Decides how the hop uses connections to the origin of the present URL, and notes in the hop whether it multiplexes and how long
    /// it waits for the connection of another hop.
    private func connectionUse(by proxy: OutboundProxy?, at now: Ticks) -> EasyHandle.ConnectionUse {
        let isAlone = context.connections.isDistrusted(origin, at: now)
        hop.multiplexes = !context.connections.isUnmeasured(origin, at: now)
        // Over TLS, ALPN tells at once whether a connection multiplexes. Without TLS, libcurl 7.88 learns that from the first
        // response only, and would hold back all other requests.
        let waitsForOthers = origin.scheme == .https && hop.multiplexes
        if waitsForOthers { waitOn(since: now) }
        return EasyHandle.ConnectionUse(
            proxy: proxy, isFresh: isAlone || hop.redial == .alone, isLast: isAlone,
            connectsOnly: request.purpose != .picture, multiplexes: hop.multiplexes,
            waitsForOthers: waitsForOthers, connectTimeout: context.configuration.connectTimeout)
    }

    /// libcurl has not seen this hop, so its last description concerns another one.
    var refusedHop: Step { failed(hop.failure ?? refused(by: .malformed), words: "") }
}
