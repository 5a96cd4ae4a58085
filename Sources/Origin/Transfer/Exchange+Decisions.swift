// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics
internal import SourceURLs
internal import Synchronization

// The decisions when a hop has ended, when a deadline has passed, and when nobody waits for the answer any more.

extension Exchange {
    /// Decides the next step after libcurl has ended the hop.
    func ended(_ code: CURLcode) -> Step {
        // Later versions of libcurl report this error themselves.
        let code = code == CURLE_OK && isCut ? CURLE_RECV_ERROR : code
        if code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY {
            hop.dial.lookedUp(found: false)
        }
        let isReused = hop.connection?.step.hasAnswered ?? false
        let isKept = isReused || hop.connection?.step.isMultiplexed ?? false
        let isMalformed = hop.failure == nil && failure(for: code) == .brokenReply(.malformed)
        let now = ExchangeContext.ticks
        if code == CURLE_OK, hop.head.isComplete {
            answered(at: now)
        } else {
            if hop.failure == nil { dropSuspect(after: failure(for: code)) }
            leave(isMalformed: isMalformed, at: now)
        }
        if isAbandoned { return Self.givenUp }
        if let failure = hop.failure { return failed(failure) }
        if hop.mustStartOver || hop.mustRedial { return .follow }
        if request.purpose != .picture, code == CURLE_OK { return .done(.success(reply(payload: nil))) }
        // On a kept connection, malformed bytes are the excess of the previous answer.
        if isReused && isMalformed || isKept && hasMetDeadConnections(code) || isUnprocessed(code) {
            hop.mustRedial = true
            return .follow
        }
        if isDraining { return decideByHead() }
        guard code == CURLE_OK, hop.head.isComplete else { return broken(failure(for: code)) }
        return complete()
    }

    /// RFC 9112 §9.8: a picture over TLS without a length is complete only if TLS was closed properly. Otherwise an attacker who
    /// can cut the connection could cut the picture as well.
    private var isCut: Bool {
        EasyHandle.overlooksCuts && origin.scheme == .https && !hop.hasCloseNotify
            && hop.head.endsWithConnection
            && body.isOpenEnded
    }

    /// True if a kept connection ended before the answer began, and libcurl did not repeat the request.
    private func hasMetDeadConnections(_ code: CURLcode) -> Bool {
        code.tellsLostConnection && hop.head.status == 0 && !hop.isRedial
    }

    /// True if a server of HTTP/2 has ended the request without processing it, so that it can be sent once more (RFC 9113 §6.8,
    /// §8.7), and libcurl has not repeated it.
    private func isUnprocessed(_ code: CURLcode) -> Bool {
        guard hop.head.status == 0, !hop.isRedial else { return false }
        // If the connection ends together with the refused stream, libcurl 7.88 forgets the refusal and reports an empty answer.
        if hop.speaksHTTP2, code == CURLE_GOT_NOTHING { return true }
        return hop.isUnprocessed && !hop.hasRepeated && code.tellsLostConnection
    }

    /// libcurl reports the end of the answer only after its turn. That is too late, because it may have sent the other request by
    /// then.
    func handedOn(_ connection: Connections.Connection, at now: Ticks) {
        if hop.isWhole, hop.connection === connection { answered(at: now) }
    }

    /// Reports that the connection, if there is one, gave the complete answer.
    private func answered(at now: Ticks) {
        guard let connection = hop.connection.take() else { return }
        context.connections.answered(
            connection, request.key, at: now, wait: hop.wait,
            isLast: hop.isConnectionsLast, isExceeded: hop.isExceeded)
    }

    /// Called when the hop is over and the handle is out of the multi.
    func letGo() {
        let now = ExchangeContext.ticks
        noteMove()
        hop.dial.leaveLookup(at: now)
        leave(isMalformed: false, at: now)
        for socket in hop.sockets { context.connections.leave(socket) }
        hop.sockets = []
    }

    /// Reports that the connection, if there is one, gave no complete answer.
    func leave(isMalformed: Bool, at now: Ticks) {
        guard let connection = hop.connection.take() else { return }
        let key = hop.head.isComplete && !hop.isDropped ? request.key : nil
        context.connections.broke(connection, key, isMalformed: isMalformed, at: now)
    }

    /// Called when nobody waits for the answer any more. True if the transfer goes on, for the sake of earlier answers over its
    /// connection; false if it must be cut.
    func abandon(at now: Ticks) -> Bool {
        guard !isAbandoned, let step = hop.connection?.step, step.hasAnswered, !step.isMultiplexed else {
            return false
        }
        let abandoned = AbandonedTransfer(
            since: now, for: context.configuration.abandonedTime.ticks)
        if hop.head.isComplete {
            // An answer without a length is limited while it arrives.
            let rest = (easy.announcedLength ?? 0) - (body.count ?? 0)
            guard abandoned.fits(rest) else { return false }
        }
        body.drop()
        self.abandoned = abandoned
        return true
    }

    /// The next step if a deadline has passed; nil otherwise.
    func overdue(at now: Ticks) -> Step? {
        if let abandoned, now >= abandoned.until { return Self.givenUp }
        guard let stage = deadlines.expired(at: now) else { return nil }
        if isAbandoned { return Self.givenUp }
        if isDraining && stage != .total { return decideByHead() }
        return stage == .total ? failed(.timedOut(stage)) : broken(.timedOut(stage))
    }

    /// The end of a fetch that nobody waits for.
    static let givenUp = Step.done(.failure(FailedDownload(.cancelled)))

    /// The end of a slow transfer whose permit others need.
    var givenWay: Step { failed(.overloaded) }

    /// Resumes the body after a broken hop, if that is possible; fails otherwise.
    private func broken(_ failure: DownloadFailure) -> Step {
        dropSuspect(after: failure)
        if hop.mustRedial { return .follow }
        guard let rest = incompleteBody(after: failure) else { return failed(failure) }
        incomplete = rest
        resumptions += 1
        return .follow
    }

    /// Drops the bytes of a picture that broke off if they may belong to another answer: the connection is dead, so no silence
    /// can prove them. If the rest could be requested, the whole picture is, over a new connection, whose first answer is
    /// certain.
    private func dropSuspect(after failure: DownloadFailure) {
        guard let step = hop.connection?.step, step.isAnswerSuspect, hop.head.isComplete, hop.head.isPicture,
            Self.isPassing(failure)
        else { return }
        hop.isDropped = true
        guard incompleteBody(after: failure) != nil else { return }
        resumptions += 1
        restart()
        hop.mustRedial = true
    }

    /// The part of the body that has arrived, if its rest can be requested.
    private func incompleteBody(after failure: DownloadFailure) -> IncompleteBody? {
        guard incomplete == nil, hop.head.isComplete, Self.isPassing(failure),
            resumptions < context.configuration.resumptionLimit, let count = body.count
        else { return nil }
        return IncompleteBody(
            hop.head, requestTime: times.requestTime, responseTime: times.responseTime, received: count,
            total: body.total, failure: failure)
    }

    /// True for failures of the network path rather than of the answer.
    private static func isPassing(_ failure: DownloadFailure) -> Bool {
        failure == .brokenReply(.cutShort) || failure == .timedOut(.idle)
    }

    /// - Parameter words: libcurl's description, used if there is no other.
    func failed(_ failure: DownloadFailure, words: String? = nil) -> Step {
        countResumption(hasCome: false)
        var (reason, words) = (failure, words ?? easy.error)
        if failure == .timedOut(.connect), isCrowdedOut {
            (reason, words) = (.overloaded, "no connection to the host became free")
        }
        return .done(
            .failure(
                FailedDownload(
                    reason, at: trail.place, hops: trail.hops, words: words,
                    dependsOnURL: dependsOnURL(reason))))
    }

    /// True if other URLs of the origin may well be reached although this one is not.
    private func dependsOnURL(_ failure: DownloadFailure) -> Bool {
        // Once the request can be sent, an alert may be the answer to it: some servers demand a certificate for some URLs only.
        if failure == .tls, hop.dial.isConnected { return true }
        // No profile has a way to a store.
        return store == nil && context.configuration.hasOtherWays(to: origin, after: failure)
    }

    /// True if the hop has only waited for others, which use all connections to its origin. Redirects from several hosts to one
    /// origin, or several buckets of one store, bring more fetches there than the permits of one host allow. This does not count
    /// against the origin.
    private var isCrowdedOut: Bool { !hop.dial.hasBegun && context.connections.isAsked(origin) }

    private func decideByHead() -> Step {
        // RFC 9110 §15.5.8: the proxy itself refuses, which says nothing about the original. If the proxy refuses a tunnel, there
        // is no connection either.
        if hop.head.status == 407, hop.asksProxy {
            return failed(.cannotConnect, words: "the proxy does not take the credentials (407)")
        }
        do throws(DownloadFailure) {
            if hop.head.status == 304, !isConditional { throw .brokenReply(.notModifiedUnasked) }
            // RFC 9110 §15.4: a redirect without Location is an ordinary answer.
            if Redirect.isRedirect(hop.head.status), let location = hop.head.fields["location"] {
                // With new cookies, the same URL may have another answer, so it may be visited again; the limit of redirects ends
                // a loop.
                if hop.keepsCookies, cookies.take(hop.head.fields, from: trail.url, at: times.responseTime) {
                    trail.forgetVisits()
                }
                try trail.follow(hop.head, to: location, hop.rule, context.configuration)
                return .follow
            }
            countResumption(hasCome: false)
            return .done(.success(reply(payload: nil)))
        } catch {
            return failed(error)
        }
    }

    private func complete() -> Step {
        do throws(DownloadFailure) {
            let payload = try body.finish()
            countResumption(hasCome: true)
            return .done(.success(reply(payload: payload)))
        } catch {
            return failed(error)
        }
    }

    /// Counts a body that broke off and was asked for again: once, at the end, because it may break off several times.
    private func countResumption(hasCome: Bool) {
        guard resumptions > 0 else { return }
        if !hasCome {
            context.counts.unresumed.add(1, ordering: .relaxed)
        } else if hasRestarted {
            context.counts.restarted.add(1, ordering: .relaxed)
        } else {
            context.counts.resumed.add(1, ordering: .relaxed)
        }
    }

    private func reply(payload: DownloadReply.Payload?) -> DownloadReply {
        let isKeyRefused =
            hop.isAuthorized && hop.head.status == 401
            || hop.discarded.isAboutKey(hop.head.status, lacksKey: hop.lacksKey)
        return DownloadReply(
            status: hop.head.status, fields: hop.head.fields, payload: payload, finalURL: trail.place,
            hops: trail.hops, requestTime: times.requestTime, responseTime: times.responseTime,
            timing: times.ended(at: ExchangeContext.ticks), words: hop.discarded.words(of: store),
            isKeyRefused: isKeyRefused, isPrivate: isPrivate,
            sentFields: trail.isAtStart ? sentFields?.directly(request.url) : sentFields?.anywhere,
            rule: hop.rule)
    }

    private func failure(for code: CURLcode) -> DownloadFailure {
        // With TLS 1.3, an origin that refuses the client's certificate, or the lack of one, says so only after the client's part
        // of the handshake (RFC 8446 §4.4.2.4), where libcurl waits for the answer already.
        if hop.hasFatalAlert, hop.head.status == 0, code.tellsLostConnection { return .tls }
        return switch hop.dial.problem(for: code, askedFor: trail.url.host) {
        case .failed(let failure): failure
        case .refused(let refusal): refused(by: refusal)
        }
    }
}
