// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs
internal import Synchronization

// The callbacks of libcurl while a hop is under way.

extension Exchange {
    /// Called when libcurl is about to resolve the hop's host, which is not in its cache. False if there are too many lookups.
    func mayLookUp() -> Bool { hop.dial.mayLookUp() }

    /// True if the address in this `sockaddr` may be dialled.
    func mayDial(_ address: UnsafeRawBufferPointer) -> Bool {
        noteMove()
        return hop.dial.mayDial(address)
    }

    /// Records that no socket could be made for an address.
    func noSocket(_ error: SystemError) { hop.dial.noSocket(error) }

    /// Called when a new or kept connection is ready for the request, and again if a kept one turns out to be dead. False if the
    /// connection may not be used.
    func connected(to address: IPAddress?, port: UInt16?, from localPort: UInt16?) -> Bool {
        let now = ExchangeContext.ticks
        hop.dial.lookedUp(found: true)
        leave(isMalformed: false, at: now)
        // The flags may be from a kept connection that was dead.
        (hop.hasCloseNotify, hop.hasFatalAlert) = (false, false)
        // The abandoned transfer only went on for the sake of its connection, which is gone.
        if isAbandoned { return stop(.cancelled) }
        guard let address, let port, hop.dial.isOpen(address, port) else {
            return stop(refused(by: hop.dial.refusal ?? .malformed))
        }
        let connections = context.connections
        let mayShare = mayShareConnection
        hop.speaksHTTP2 = mayShare
        if let localPort, let connection = connections.connection(from: localPort, to: address, port) {
            if !mayShare { connection.asker?.handedOn(connection, at: now) }
            guard
                connections.mayAsk(
                    connection, trail.url.origin, mayShare: mayShare, tls: easy.tls, at: now)
            else {
                hop.mustRedial = .alone
                return false
            }
            connection.asker = self
            hop.connection = connection
        }
        hop.connected(at: now)
        noteMove()
        times.connected(after: now - hop.started, context.now())
        deadlines.connected(at: now)
        context.lowerAlarm(to: deadlines.next)
        context.counts.requests.add(1, ordering: .relaxed)
        return true
    }

    /// False if the connection of the current callback carries one request at a time.
    private var mayShareConnection: Bool {
        hop.multiplexes && trail.url.scheme == .https && easy.mayMultiplex
    }

    func opened(_ descriptor: Int32) {
        if let socket = context.connections.opened(descriptor) { hop.sockets.append(socket) }
    }

    func take(_ notice: LibcurlNotice) {
        switch notice {
        case .excess: hop.isExceeded = true
        case .keptConnection: hop.isWhole = true
        case .closeNotify: hop.hasCloseNotify = true
        case .fatalAlert: hop.hasFatalAlert = true
        case .unprocessed: hop.isUnprocessed = true
        }
    }

    func refused(by refusal: SourceRefusal) -> DownloadFailure {
        trail.isAtStart ? .refused(by: refusal) : .redirectRefused(by: refusal)
    }

    /// Takes a line of the head. False to stop the transfer; `hop.failure` then has the reason.
    func headLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch hop.head.add(line) {
        case .more: return true
        case .tooLarge: return stop(.brokenReply(.headTooLarge))
        case .badFraming(.transferCoding): return stop(.brokenReply(.transferCoding))
        case .badFraming(.contentLength), .badFraming(.otherProtocol):
            return stop(.brokenReply(.malformed))
        case .badFraming(.statusLine): return stop(.brokenReply(.statusLine))
        case .complete:
            let now = ExchangeContext.ticks
            if !mayShareConnection { hop.head.takeForHTTP1() }
            hop.headArrived(at: now)
            times.headArrived(at: now, context.now())
            if isMultiplexed, let connection = hop.connection { context.connections.multiplexes(connection) }
            if hop.head.isFramingFaulty { easy.forbidReuse() }
            deadlines.headArrived(at: now)
            context.lowerAlarm(to: deadlines.next)
            if let abandoned { return abandoned.fits(easy.announcedLength ?? 0) || stop(.cancelled) }
            if let incomplete { return take(hop.head, for: incomplete) }
            hop.head.takeWhole(length: easy.announcedLength)
            if hop.head.isPicture { return openBody() }
            drain(since: now)
            return true
        }
    }

    /// Waits only a moment for the body of a redirect or an error, for the sake of its connection (`DiscardedBody`). Two kinds of
    /// bodies are read like a picture's: a store's, which tells whether the key was refused, and one that follows unproved
    /// answers. Cutting that one would end the connection, and its answers, including this one, would be forgotten.
    private func drain(since now: Ticks) {
        guard store == nil, hop.connection?.step.isAnswerSuspect != true else { return }
        deadlines.drains(since: now)
        context.lowerAlarm(to: deadlines.next)
    }

    /// True if the answer comes over HTTP/2.
    private var isMultiplexed: Bool { hop.head.isMultiplexed && mayShareConnection }

    /// Judges the answer to a request for the rest of a body. False to stop the transfer.
    private func take(_ answer: ReplyHead, for incomplete: IncompleteBody) -> Bool {
        switch incomplete.verdict(on: answer, length: easy.announcedLength) {
        case .rest(let total):
            self.incomplete = nil
            body.total = total
            // RFC 9111 §3.4: the parts form one message, which is as old as its first part.
            hop.head = incomplete.head
            (times.requestTime, times.responseTime) = (incomplete.requestTime, incomplete.responseTime)
            hasRestarted = false
            return true
        case .whole:
            restart()
            return openBody()
        case .startOver where resumptions < context.configuration.resumptionLimit:
            restart()
            resumptions += 1
            hop.mustStartOver = true
            return false
        case .startOver, .giveUp:
            return stop(incomplete.failure)
        }
    }

    /// Drops the bytes of the body so far.
    func restart() {
        incomplete = nil
        body.drop()
        hasRestarted = true
    }

    /// Takes bytes of the body. False to stop the transfer.
    func bodyBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        deadlines.received(bytes.count, at: ExchangeContext.ticks)
        if hop.head.isPicture { context.counts.bodyBytes.add(bytes.count, ordering: .relaxed) }
        if let fits = abandoned?.take(bytes.count) { return fits || stop(.cancelled) }
        guard hop.head.isPicture else { return hop.discarded.append(bytes, from: store) }
        do throws(DownloadFailure) {
            try body.append(bytes)
            return true
        } catch {
            return stop(error)
        }
    }

    /// Begins the body. False to stop the transfer.
    private func openBody() -> Bool {
        if EasyHandle.overlooksResets, isMultiplexed, easy.announcedLength == nil {
            context.connections.answersUnmeasured(origin, at: ExchangeContext.ticks)
            hop.mustRedial = .alone
            return false
        }
        do throws(DownloadFailure) {
            try body.open(
                hop.head.fields, length: easy.announcedLength, limit: context.configuration.bodyLimit,
                buffer: easy.buffer, makeFile: context.makeFile)
            return true
        } catch {
            return stop(error)
        }
    }

    private func stop(_ failure: DownloadFailure) -> Bool {
        hop.failure = failure
        return false
    }
}
