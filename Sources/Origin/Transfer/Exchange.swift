// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CCurl
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs
internal import Synchronization
internal import Traces

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

    /// Bytes read of the body of a redirect or an error. A connection can be used again once its response was
    /// read to the end; a longer body is dropped together with the connection.
    private static let discardLimit = 64 << 10

    let ticket: DownloadTicket
    let easy: EasyHandle
    private(set) var deadlines: Deadlines

    private let request: Download
    private let surroundings: Surroundings
    private let started = Surroundings.ticks
    /// That of `request.url`, by the rules of the current hop; nil for none.
    private var firstProfile: OriginProfile?
    /// The store that holds what was asked for; nil for the web.
    private let home: NamedStore?
    private var url: SourceURL
    private var visited: Set<SourceURL>
    private var hops: [DownloadReply.Hop] = []
    /// The body whose rest was requested, until the answer's head decides about it.
    private var torn: TornBody?
    private var resumptions = 0
    /// Bytes of `body`, if announced.
    private var total: Int?
    /// Content coding of `body`.
    private var coding: ContentCoding?
    private var timing = DownloadReply.Timing()

    // Of the current hop.
    private var head: ReplyHead
    private var body: BodySink?
    private var failure: DownloadFailure?
    private var mustStartOver = false
    /// The connection that libcurl chose is unusable; the hop is repeated over a new one.
    private var mustRedial = false
    private var connection: Connections.Connection?
    private var isExceeded = false
    private var sentAt: Ticks
    private var headAt: Ticks
    private var dialling = Dialling(isProxied: false)
    /// How the hop's origin is asked; nil for the usual way.
    private var profile: OriginProfile?
    /// True if the profile of any hop is private.
    private var isPrivate = false
    private var discarded = 0
    /// The beginning of a store's refusal.
    private var refusalText: [UInt8] = []
    private var hopStarted: Ticks
    private var connectBefore = 0
    private var requestTime: Timestamp
    private var responseTime: Timestamp

    init(_ request: Download, _ ticket: DownloadTicket, _ easy: EasyHandle, _ surroundings: Surroundings) {
        self.request = request
        self.ticket = ticket
        self.easy = easy
        self.surroundings = surroundings
        home = surroundings.configuration.namedStore(for: request.url)
        url = home?.place(of: request.url) ?? request.url
        visited = [url]
        deadlines = Deadlines(surroundings.limits, startedAt: started)
        (hopStarted, sentAt, headAt) = (started, started, started)
        requestTime = surroundings.now()
        responseTime = requestTime
        head = Self.newHead(surroundings)
    }

    private var isConditional: Bool {
        hops.isEmpty && (request.ifNoneMatch != nil || request.ifModifiedSince != nil)
    }

    /// The store that is asked. What it redirects to is asked as any other place is, and without its credentials.
    private var store: NamedStore? { hops.isEmpty ? home : nil }

    /// What is asked now, as those outside know it.
    private var place: SourceURL { hops.isEmpty ? request.url : url }

    private static func newHead(_ surroundings: Surroundings) -> ReplyHead {
        ReplyHead(
            byteLimit: surroundings.configuration.headLimit, lineLimit: surroundings.configuration.fieldLimit)
    }

    /// Prepares the handle for `url`. False if libcurl reads the URL otherwise than we do, or a reload took away what the
    /// request is about; `refusedHop` is the answer then.
    func beginHop() -> Bool {
        head = Self.newHead(surroundings)
        let isRedial = mustRedial
        (discarded, mustStartOver) = (0, false)
        refusalText.removeAll()
        (mustRedial, isExceeded) = (false, false)
        let isToProxy = request.purpose == .proxyConnection
        firstProfile = surroundings.configuration.profile(for: request.url)
        profile = isToProxy || store != nil ? nil : surroundings.configuration.profile(for: url)
        if profile?.isPrivate == true { isPrivate = true }
        let proxy = isToProxy ? nil : surroundings.configuration.proxy(for: url, profile)
        dialling = Dialling(isProxied: proxy != nil || isToProxy)
        connectBefore = timing.connect
        hopStarted = Surroundings.ticks
        deadlines.hopped(at: hopStarted)
        let isAlone = surroundings.connections.isDistrusted(url.origin, at: hopStarted)
        let way = EasyHandle.Way(
            proxy: proxy, isFresh: isAlone || isRedial, isLast: isAlone,
            connectsOnly: request.purpose != .picture,
            connectTimeout: surroundings.configuration.connectTimeout)
        let trust = EasyHandle.Trust(
            authorities: profile?.authorities ?? surroundings.configuration.authorities,
            certificate: profile?.certificate, key: profile?.key)
        let sent = store?.sent(url) ?? url
        easy.prepare(sent, lines: lines, by: way, trust, for: self)
        surroundings.lowerAlarm(to: deadlines.next)
        guard passesAll else {
            failure = .overloaded
            return false
        }
        return LibcurlReading(sent.absolute)?.agrees(with: sent) == true
    }

    private var lines: FieldLines {
        var fields = request.fields ?? surroundings.configuration.requestFields
        let conditions = torn?.conditions ?? (isConditional ? request.conditions : [])
        let signature =
            store?.fields(
                for: url, at: surroundings.now(), conditions: conditions.filter(FieldLines.isSendable)) ?? []
        for field in signature { fields.append(field.name, field.value) }
        for field in profile?.fields ?? [] { fields.remove(field.name) }
        for field in profile?.fields ?? [] { fields.append(field.name, field.value) }
        let passed = passed
        for field in passed { fields.remove(field.name) }
        for field in passed { fields.append(field.name, field.value) }
        guard !conditions.isEmpty || trace != nil || !signature.isEmpty || !passed.isEmpty else {
            return easy.plainLines(fields)
        }
        return FieldLines(fields, conditions, trace: trace)
    }

    /// What this hop's origin is told of the client: nothing where another profile counts than for the URL that was asked
    /// for, so that no redirect takes it elsewhere.
    private var passed: [Fields.Field] {
        guard let profile, profile == firstProfile else { return [] }
        return request.clientFields.among(profile.passed)
    }

    /// False if a field of the client is in the key, and the rules of by now do not pass it: the answer would be kept as what
    /// came for that field.
    private var passesAll: Bool {
        let fields = request.clientFields
        return fields.among(firstProfile?.passed ?? []).count == fields.list.count
    }

    /// For this hop's host, if it is one that is told.
    private var trace: TracePlace? {
        surroundings.configuration.tracedHosts.contains { $0.matches(url.host) } ? request.trace : nil
    }

    var refusedHop: Step { failed(failure ?? refused(by: .malformed)) }
}

// MARK: Callbacks

extension Exchange {
    /// True if the address in this `sockaddr` may be dialled.
    func mayDial(_ address: UnsafeRawBufferPointer) -> Bool {
        guard let target = IPAddress(socketAddress: address) else { return false }
        let port = IPAddress.port(ofSocketAddress: address)
        guard isOpen(target, port) else { return false }
        dialling.hasDialled = true
        surroundings.tally.connections.add(1, ordering: .relaxed)
        return true
    }

    /// Records that no socket could be made for an address.
    func noSocket(_ error: SystemError) {
        if error.isShortage { dialling.shortage = error }
    }

    /// A connection, new or kept, is ready for the request; libcurl calls again if a kept one turns out to be
    /// dead. False if the connection may not be used.
    func connected(to address: IPAddress?, port: UInt16?, from localPort: UInt16?) -> Bool {
        let now = Surroundings.ticks
        leave(isMalformed: false, at: now)
        guard let address, let port, isOpen(address, port) else {
            return stop(refused(by: dialling.refusal ?? .malformed))
        }
        let connections = surroundings.connections
        if let localPort, let connection = connections.connection(from: localPort, to: address, port) {
            guard connections.mayAsk(connection, url.origin, tls: easy.tls, at: now) else {
                mustRedial = true
                return false
            }
            self.connection = connection
        }
        dialling.isConnected = true
        sentAt = now
        timing.connect = connectBefore + Int(now - hopStarted)
        requestTime = surroundings.now()
        deadlines.connected(at: now)
        surroundings.lowerAlarm(to: deadlines.next)
        surroundings.tally.requests.add(1, ordering: .relaxed)
        return true
    }

    func opened(_ descriptor: Int32) { surroundings.connections.opened(descriptor) }

    /// libcurl found bytes beyond the answer.
    func cameWithMore() { isExceeded = true }

    private func isOpen(_ address: IPAddress, _ port: UInt16) -> Bool {
        let refusal =
            dialling.isProxied || store != nil
            ? surroundings.refusal(ofNamed: address, port: port)
            : surroundings.refusal(of: address, port: port)
        guard let refusal else { return true }
        dialling.refusal = refusal
        surroundings.noteRefusal()
        surroundings.tally.refusedAddresses.add(1, ordering: .relaxed)
        return false
    }

    private func refused(by refusal: Refusal) -> DownloadFailure {
        hops.isEmpty ? .refused(by: refusal) : .redirectRefused(by: refusal)
    }

    /// False to stop the transfer; `failure` has the reason.
    func headLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch head.add(line) {
        case .more: return true
        case .tooLarge: return stop(.brokenReply(.headTooLarge))
        case .badFraming(.transferCoding): return stop(.brokenReply(.transferCoding))
        case .badFraming(.contentLength): return stop(.brokenReply(.malformed))
        case .complete:
            let now = Surroundings.ticks
            headAt = now
            if head.isMultiplexed, url.scheme == .https, let connection {
                surroundings.connections.multiplexes(connection)
            }
            if head.isFramedTwice { easy.forbidReuse() }
            timing.firstByte = Int(now - started)
            responseTime = surroundings.now()
            deadlines.headArrived(at: now)
            surroundings.lowerAlarm(to: deadlines.next)
            if let torn { return take(head, for: torn) }
            return !head.isPicture || openBody()
        }
    }

    /// Judges the answer to a request for the rest. False to stop the transfer.
    private func take(_ answer: ReplyHead, for torn: TornBody) -> Bool {
        switch torn.verdict(on: answer, length: easy.announcedLength) {
        case .rest(let total):
            self.torn = nil
            self.total = total
            // RFC 9111 §3.4: the parts are one message, as old as its first part.
            (head, requestTime, responseTime) = (torn.head, torn.requestTime, torn.responseTime)
            surroundings.tally.resumed.add(1, ordering: .relaxed)
            return true
        case .whole:
            restart()
            return openBody()
        case .startOver where resumptions < surroundings.configuration.resumptionLimit:
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
        body = nil
        surroundings.tally.restarted.add(1, ordering: .relaxed)
    }

    /// False to stop the transfer.
    func bodyBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        deadlines.received(bytes.count, at: Surroundings.ticks)
        guard head.isPicture else {
            discarded += bytes.count
            if store != nil {
                refusalText += bytes.prefix(max(0, StoreError.longest - refusalText.count))
            }
            return discarded <= Self.discardLimit
        }
        surroundings.tally.bodyBytes.add(bytes.count, ordering: .relaxed)
        do {
            try body?.append(bytes)
            return true
        } catch {
            return stop(error)
        }
    }

    private func openBody() -> Bool {
        let limit = surroundings.configuration.bodyLimit
        do throws(ContentCoding.NotTaken) {
            coding = try ContentCoding.applied(by: head.fields)
        } catch {
            return stop(.brokenReply(.contentCoding))
        }
        total = easy.announcedLength
        if let total, total > limit { return stop(.tooLarge(limit: limit)) }
        do throws(SystemError) {
            body = BodySink(file: try surroundings.makeFile(), buffer: easy.buffer, limit: limit)
            return true
        } catch {
            return stop(.fileWrite(error))
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
        let isReused = connection?.step.hasAnswered ?? false
        let isMalformed = failure == nil && failure(for: code) == .brokenReply(.malformed)
        let now = Surroundings.ticks
        if code == CURLE_OK, head.isComplete, let connection {
            surroundings.connections.answered(
                connection, request.key, at: now, wait: headAt - sentAt,
                isLast: head.isConnectionsLast, isExceeded: isExceeded)
            self.connection = nil
        } else {
            leave(isMalformed: isMalformed, at: now)
        }
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
    func letGo() { leave(isMalformed: false, at: Surroundings.ticks) }

    /// Reports that the connection, if there is one, gave no complete answer.
    private func leave(isMalformed: Bool, at now: Ticks) {
        guard let connection = connection.take() else { return }
        surroundings.connections.broke(
            connection, head.isComplete ? request.key : nil, isMalformed: isMalformed, at: now)
    }

    /// The next step if a deadline has passed; nil otherwise.
    func overdue(at now: Ticks) -> Step? {
        guard let stage = deadlines.expired(at: now) else { return nil }
        if head.isComplete && !head.isPicture && stage != .total { return decideByHead() }
        return stage == .total ? failed(.timedOut(stage)) : broken(.timedOut(stage))
    }

    /// The end of a slow transfer whose permit others need.
    var givenWay: Step { failed(.overloaded) }

    /// Resumes the body after a broken hop, if that is possible; fails otherwise.
    private func broken(_ failure: DownloadFailure) -> Step {
        guard torn == nil, head.isComplete, Self.isPassing(failure),
            resumptions < surroundings.configuration.resumptionLimit, let count = body?.count,
            let torn = TornBody(
                head, requestTime: requestTime, responseTime: responseTime, received: count, total: total,
                failure: failure)
        else { return failed(failure) }
        self.torn = torn
        resumptions += 1
        return .follow
    }

    /// True for failures of the network path rather than of the answer.
    private static func isPassing(_ failure: DownloadFailure) -> Bool {
        failure == .brokenReply(.cutShort) || failure == .timedOut(.idle)
    }

    private func failed(_ failure: DownloadFailure) -> Step {
        if torn != nil { surroundings.tally.unresumed.add(1, ordering: .relaxed) }
        return .done(.failure(FailedDownload(failure, at: place, words: easy.error)))
    }

    private func decideByHead() -> Step {
        do throws(DownloadFailure) {
            if head.status == 304, !isConditional { throw .brokenReply(.notModifiedUnasked) }
            // RFC 9110 §15.4: a redirect without Location is an ordinary answer.
            if Redirect.isRedirect(head.status), let location = head.fields["location"] {
                try redirect(to: location)
                return .follow
            }
            return .done(.success(reply(payload: nil)))
        } catch {
            return failed(error)
        }
    }

    /// Moves to the redirect's target.
    /// - Throws: if the target may not be fetched, or after too many redirects.
    private func redirect(to location: String) throws(DownloadFailure) {
        let configuration = surroundings.configuration
        let target: SourceURL
        do throws(Refusal) {
            target = try Redirect.target(location, from: url, configuration)
        } catch .malformed {
            throw .brokenReply(.badRedirect)
        } catch {
            throw .redirectRefused(by: error)
        }
        // A store that echoes the query would have us show its secret, and send it elsewhere.
        if store?.isBetrayed(by: location) == true { throw .brokenReply(.badRedirect) }
        guard hops.count < configuration.redirectLimit, visited.insert(target).inserted else {
            throw .tooManyRedirects(limit: configuration.redirectLimit)
        }
        hops.append(DownloadReply.Hop(status: head.status, fields: head.fields))
        url = target
    }

    private func complete() -> Step {
        do throws(DownloadFailure) {
            guard let body = body.take() else { throw .brokenReply(.malformed) }
            guard body.count == total ?? body.count else { throw .brokenReply(.cutShort) }
            return .done(.success(reply(payload: try body.finish(coding: coding))))
        } catch {
            return failed(error)
        }
    }

    private func reply(payload: DownloadReply.Payload?) -> DownloadReply {
        timing.total = Int(Surroundings.ticks - started)
        return DownloadReply(
            status: head.status, fields: head.fields, payload: payload, finalURL: place, hops: hops,
            requestTime: requestTime, responseTime: responseTime, timing: timing,
            words: refusalWords, isPrivate: isPrivate)
    }

    /// None where the store repeats a secret.
    private var refusalWords: String {
        guard !refusalText.isEmpty,
            store?.isBetrayed(by: String(decoding: refusalText, as: UTF8.self)) != true
        else { return "" }
        return StoreError(refusalText).words
    }

    private func failure(for code: CURLcode) -> DownloadFailure {
        let hidesAbsence = surroundings.configuration.policy.hidesAbsence(of: url.host)
        return switch dialling.problem(for: code, hidesAbsence: hidesAbsence) {
        case .failed(let failure): failure
        case .refused(let refusal): refused(by: refusal)
        }
    }
}
