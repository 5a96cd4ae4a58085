// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import HTTPSemantics
internal import Synchronization

// The decisions when a hop has ended, and when a deadline has passed.

extension Exchange {
    /// Decides the next step after libcurl has ended the hop.
    func ended(_ code: CURLcode) -> Step {
        // Later versions of libcurl report this error themselves.
        let code = code == CURLE_OK && isCut ? CURLE_RECV_ERROR : code
        if code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY {
            hop.dial.lookedUp(found: false)
        }
        let isReused = hop.connection?.step.hasAnswered ?? false
        let isMultiplexed = hop.connection?.step.isMultiplexed ?? false
        let isKept = isReused || isMultiplexed
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
        if hop.mustStartOver || hop.mustRedial != nil { return .follow }
        if request.purpose != .picture, code == CURLE_OK { return .done(.success(reply(payload: nil))) }
        // On a kept connection, malformed bytes are the excess of the previous answer.
        let isExcess = isReused && isMalformed
        hop.mustRedial =
            isExcess ? .alone : redial(after: code, isMultiplexed: isMultiplexed, isKept: isKept)
        if hop.mustRedial != nil { return .follow }
        if isDraining { return decideByHead() }
        guard code == CURLE_OK, hop.head.isComplete else { return broken(failure(for: code)) }
        return complete()
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
        if hop.mustRedial != nil { return .follow }
        guard let rest = incompleteBody(after: failure) else {
            // Another request may have ended the connection that this one shares.
            let wasCut = hop.head.isComplete && failure == .brokenReply(.cutShort)
            return wasCut && hop.redial == .together ? beginAlone() : failed(failure)
        }
        incomplete = rest
        resumptions += 1
        return .follow
    }

    /// Fetches the whole picture over a connection of its own.
    private func beginAlone() -> Step {
        restart()
        hop.mustRedial = .alone
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
        hop.mustRedial = .alone
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
    func countResumption(hasCome: Bool) {
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
        let words = hop.discarded.words(of: store)
        if hop.discarded.isAboutEndedKey(hop.head.status) { store?.noteEndedKey(words) }
        let isKeyRefused =
            hop.isAuthorized && hop.head.status == 401
            || hop.discarded.isAboutKey(hop.head.status, lacksKey: hop.lacksKey)
        return DownloadReply(
            status: hop.head.status, fields: hop.head.fields, payload: payload, finalURL: trail.place,
            hops: trail.hops, requestTime: times.requestTime, responseTime: times.responseTime,
            timing: times.ended(at: ExchangeContext.ticks), words: words,
            isKeyRefused: isKeyRefused, isPrivate: isPrivate,
            sentFields: trail.isAtStart ? sentFields?.directly(request.url) : sentFields?.anywhere,
            rule: hop.rule)
    }
}
