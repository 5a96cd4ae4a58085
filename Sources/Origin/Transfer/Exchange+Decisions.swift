// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs
internal import Synchronization

// The decisions when a hop has ended, when a deadline has passed, and when nobody waits any more.

extension Exchange {
    /// Decides the next step after libcurl has ended the hop.
    func ended(_ code: CURLcode) -> Step {
        // As later versions of libcurl say it.
        let code = code == CURLE_OK && isCut ? CURLE_RECV_ERROR : code
        if code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY {
            dial.lookedUp(found: false)
        }
        let isReused = connection?.step.hasAnswered ?? false
        let isKept = isReused || connection?.step.isMultiplexed ?? false
        let isMalformed = failure == nil && failure(for: code) == .brokenReply(.malformed)
        let now = ExchangeContext.ticks
        if code == CURLE_OK, head.isComplete {
            answered(at: now)
        } else {
            if failure == nil { dropSuspect(after: failure(for: code)) }
            leave(isMalformed: isMalformed, at: now)
        }
        if isAbandoned { return Self.givenUp }
        if let failure { return failed(failure) }
        if mustStartOver || mustRedial { return .follow }
        if request.purpose != .picture, code == CURLE_OK { return .done(.success(reply(payload: nil))) }
        // Malformed bytes of a kept connection are the excess of the answer before.
        if isReused && isMalformed || isKept && hasMetDeadConnections(code) {
            mustRedial = true
            return .follow
        }
        if head.isComplete && !head.isPicture { return decideByHead() }
        guard code == CURLE_OK, head.isComplete else { return broken(failure(for: code)) }
        return complete()
    }

    /// RFC 9112 §9.8: a picture over TLS that tells no length is complete only if TLS has said that it ends. Whoever can cut the
    /// connection could cut the picture as well.
    private var isCut: Bool {
        EasyHandle.overlooksCuts && origin.scheme == .https && !hasCloseNotify && head.endsWithConnection
            && body.isOpenEnded
    }

    /// True if a kept connection ended before the answer began, and libcurl did not ask again over another.
    private func hasMetDeadConnections(_ code: CURLcode) -> Bool {
        code.tellsLostConnection && head.status == 0 && !isRedial
    }

    /// libcurl tells of the answer's end after its turn only: too late, for it may have sent the other request by then.
    func handedOn(_ connection: Connections.Connection, at now: Ticks) {
        if isWhole, self.connection === connection { answered(at: now) }
    }

    /// Reports that the connection, if there is one, gave the whole answer.
    private func answered(at now: Ticks) {
        guard let connection = connection.take() else { return }
        context.connections.answered(
            connection, request.key, at: now, wait: times.wait,
            isLast: head.isConnectionsLast, isExceeded: isExceeded)
    }

    /// The hop is over, and the handle is out of the multi.
    func letGo() {
        let now = ExchangeContext.ticks
        noteMove()
        dial.leaveLookup(at: now)
        leave(isMalformed: false, at: now)
        for socket in sockets { context.connections.leave(socket) }
        sockets = []
    }

    /// Reports that the connection, if there is one, gave no complete answer.
    func leave(isMalformed: Bool, at now: Ticks) {
        guard let connection = connection.take() else { return }
        let key = head.isComplete && !isDropped ? request.key : nil
        context.connections.broke(connection, key, isMalformed: isMalformed, at: now)
    }

    /// Nobody waits for the answer any more. True if the transfer goes on nonetheless, for the sake of what came over its
    /// connection before; false if it is to be cut.
    func abandon(at now: Ticks) -> Bool {
        guard !isAbandoned, let step = connection?.step, step.hasAnswered, !step.isMultiplexed else {
            return false
        }
        let abandoned = AbandonedTransfer(
            since: now, for: context.configuration.abandonedTime.ticks)
        if head.isComplete {
            // An answer that does not tell its length is bounded as it comes.
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
        if head.isComplete && !head.isPicture && stage != .total { return decideByHead() }
        return stage == .total ? failed(.timedOut(stage)) : broken(.timedOut(stage))
    }

    /// The end of a fetch that nobody waits for.
    static let givenUp = Step.done(.failure(FailedDownload(.cancelled)))

    /// The end of a slow transfer whose permit others need.
    var givenWay: Step { failed(.overloaded) }

    /// Resumes the body after a broken hop, if that is possible; fails otherwise.
    private func broken(_ failure: DownloadFailure) -> Step {
        dropSuspect(after: failure)
        if mustRedial { return .follow }
        guard let rest = incompleteBody(after: failure) else { return failed(failure) }
        incomplete = rest
        resumptions += 1
        return .follow
    }

    /// Drops what came of a picture that broke off if it may be another answer's: its connection is dead, so that no silence will
    /// prove it. Where its rest could be asked for, the whole is, over a new connection, whose first answer is certain.
    private func dropSuspect(after failure: DownloadFailure) {
        guard let step = connection?.step, step.isAnswerSuspect, head.isComplete, head.isPicture,
            Self.isPassing(failure)
        else { return }
        isDropped = true
        guard incompleteBody(after: failure) != nil else { return }
        resumptions += 1
        restart()
        mustRedial = true
    }

    /// What came of the body, if its rest can be asked for.
    private func incompleteBody(after failure: DownloadFailure) -> IncompleteBody? {
        guard incomplete == nil, head.isComplete, Self.isPassing(failure),
            resumptions < context.configuration.resumptionLimit, let count = body.count
        else { return nil }
        return IncompleteBody(
            head, requestTime: times.requestTime, responseTime: times.responseTime, received: count,
            total: body.total, failure: failure)
    }

    /// True for failures of the network path rather than of the answer.
    private static func isPassing(_ failure: DownloadFailure) -> Bool {
        failure == .brokenReply(.cutShort) || failure == .timedOut(.idle)
    }

    /// - Parameter words: libcurl's, if there are none of our own.
    func failed(_ failure: DownloadFailure, words: String? = nil) -> Step {
        if incomplete != nil { context.counts.unresumed.add(1, ordering: .relaxed) }
        var (reason, words) = (failure, words ?? easy.error)
        if failure == .timedOut(.connect), isCrowdedOut {
            (reason, words) = (.overloaded, "no connection to the host became free")
        }
        return .done(.failure(FailedDownload(reason, at: trail.place, hops: trail.hops, words: words)))
    }

    /// True if the hop has only waited for others, which have all connections to its origin. Redirects from several hosts to
    /// one, and several buckets at one, bring more fetches there than permits let through, and say nothing against it.
    private var isCrowdedOut: Bool { !dial.hasBegun && context.connections.isAsked(origin) }

    private func decideByHead() -> Step {
        // RFC 9110 §15.5.8: the proxy's own word, which says nothing of the original. Where it refuses a tunnel, there is no
        // connection either.
        if head.status == 407, asksProxy {
            return failed(.cannotConnect, words: "the proxy does not take the credentials (407)")
        }
        do throws(DownloadFailure) {
            if head.status == 304, !isConditional { throw .brokenReply(.notModifiedUnasked) }
            // RFC 9110 §15.4: a redirect without Location is an ordinary answer.
            if Redirect.isRedirect(head.status), let location = head.fields["location"] {
                // With them the same URL may have another answer; a circle ends at the limit.
                if keepsCookies, cookies.take(head.fields, from: trail.url, at: times.responseTime) {
                    trail.forgetVisits()
                }
                try trail.follow(head, to: location, rule, context.configuration)
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
        let isKeyRefused =
            isAuthorized && head.status == 401 || discarded.isAboutKey(head.status, lacksKey: lacksKey)
        return DownloadReply(
            status: head.status, fields: head.fields, payload: payload, finalURL: trail.place,
            hops: trail.hops, requestTime: times.requestTime, responseTime: times.responseTime,
            timing: times.ended(at: ExchangeContext.ticks), words: discarded.words(of: store),
            isKeyRefused: isKeyRefused, isPrivate: isPrivate,
            sentFields: trail.isAtStart ? sentFields?.directly(request.url) : sentFields?.anywhere,
            rule: rule)
    }

    private func failure(for code: CURLcode) -> DownloadFailure {
        switch dial.problem(for: code, askedFor: trail.url.host) {
        case .failed(let failure): failure
        case .refused(let refusal): refused(by: refusal)
        }
    }
}
