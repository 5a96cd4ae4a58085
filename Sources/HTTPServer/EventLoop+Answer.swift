// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics
internal import Kernel
internal import Synchronization

// From the request to the answer, and from the answer to the socket.

extension EventLoop {
    /// Takes up a request; returns the bytes of its head, or nil if it has to wait for earlier answers to go out.
    mutating func answer(_ slot: Int, _ request: borrowing RequestView) throws(MessageError) -> Int? {
        let head = request.head
        let lives =
            head.keepsAlive && drainDeadline == nil
            && Int(connections[slot].requests) + 1 < configuration.requestsPerConnection
        if configuration.mayRefuse,
            let status = takeRefusal(slot, request, isLast: !lives || head.framing != .none)
        {
            note(slot, head, lives: lives && head.framing == .none)
            pass(slot, status)
            return head.length
        }
        if head.framing == .none, head.form == .origin, head.method == .get || head.method == .head,
            let status = takeCachedAnswer(slot, request, isLast: !lives)
        {
            note(slot, head, lives: lives)
            pass(slot, status)
            return head.length
        }
        guard flush(slot) else { return nil }
        note(slot, head, lives: lives)
        try startWaiting(slot, request)
        return head.length
    }

    private mutating func note(_ slot: Int, _ head: RequestHead, lives: Bool) {
        connections[slot].requests += 1
        connections[slot].phase = .idle
        if !lives { connections[slot].flags.insert(.lastAnswer) }
        if head.method == .head {
            connections[slot].flags.insert(.headOnly)
        } else {
            connections[slot].flags.remove(.headOnly)
        }
    }

    /// The content of a request that is refused is not waited for, so the connection ends with the refusal.
    private mutating func takeRefusal(
        _ slot: Int, _ request: borrowing RequestView, isLast: Bool
    ) -> Int? {
        outbox.begin()
        dateLine.write(at: now, into: &outbox.scratch)
        let refusal = handler.refusal(of: request, ticks: ticks, tail: &outbox.scratch)
        return take(refusal, to: request, isLast: isLast)
    }

    private mutating func takeCachedAnswer(
        _ slot: Int, _ request: borrowing RequestView, isLast: Bool
    ) -> Int? {
        outbox.begin()
        dateLine.write(at: now, into: &outbox.scratch)
        let cachedAnswer = handler.cachedAnswer(request, now: now, tail: &outbox.scratch)
        return take(cachedAnswer, to: request, isLast: isLast)
    }

    /// The status; nil where there is no such answer.
    @inline(__always)
    private mutating func take(
        _ answer: ReadyAnswer?, to request: borrowing RequestView, isLast: Bool
    ) -> Int? {
        guard let ready = answer else {
            outbox.cancel()
            return nil
        }
        endFields(isLast: isLast, minorVersion: request.head.minorVersion)
        outbox.append(ready.head.pointer, count: ready.head.count)
        outbox.commit()
        let content = request.method == .head ? 0 : ready.bodyLength
        if let pointer = ready.bodyPointer {
            outbox.append(pointer, count: content)
        } else if let text = ready.text {
            outbox.append(text, offset: 0, count: content)
        } else {
            outbox.append(file: ready.bodyDescriptor, offset: 0, count: content)
        }
        outbox.finish(
            request, .init(status: ready.status, content: content, tag: ready.tag, started: ticks))
        outbox.keep(ready)
        return ready.status
    }

    /// A ready answer is in the outbox. It goes out with the next ones, unless it is to wait or the outbox is full.
    @inline(__always)
    private mutating func pass(_ slot: Int, _ status: Int) {
        if isRefusal(status), holdBack(slot) { return }
        if outbox.isFull { flush(slot) }
    }

    private mutating func endFields(isLast: Bool, minorVersion: UInt8) {
        if isLast {
            outbox.scratch.writeRaw("Connection: close\r\n")
        } else if minorVersion == 0 {
            // RFC 9112 §9.3: an HTTP/1.0 client takes silence for a close.
            outbox.scratch.writeRaw("Connection: keep-alive\r\n")
        }
        outbox.scratch.writeRaw("\r\n")
    }

    /// The request needs its body, or a task.
    private mutating func startWaiting(
        _ slot: Int, _ request: borrowing RequestView
    ) throws(MessageError) {
        let head = request.head
        let work = work(of: slot)
        work.started = ticks
        work.request = request.owned(body: [])
        guard head.framing != .none else { return startTask(slot, work) }
        work.body = try BodyDecoder(head.framing, limits: configuration.limits)
        connections[slot].phase = .body
        setDeadline(slot, milliseconds: configuration.bodyTimeout)
        guard head.expectsContinue, head.length == request.bytesRead else { return }
        // RFC 9110 §10.1.1: only if the client may still be waiting. The outbox is empty, so the socket has room.
        sendContinue(slot)
    }

    private mutating func sendContinue(_ slot: Int) {
        outbox.begin()
        outbox.scratch.writeRaw("HTTP/1.1 100 Continue\r\n\r\n")
        outbox.commit()
        if outbox.send(to: connections[slot].descriptor) != .done { destroy(slot) }
        outbox.reset()
    }

    mutating func startTask(_ slot: Int, _ work: Work) {
        guard let request = work.request else { return }
        connections[slot].phase = .answering
        connections[slot].deadline = Int64.max
        let (handler, mailbox, generation) = (handler, mailbox, connections[slot].generation)
        // What can be answered without waiting goes first (`WorkerThread.Turn`).
        work.task = Task(priority: .background) {
            let response = await handler.respond(to: request)
            mailbox.post(.answer(slot: slot, generation: generation, response))
        }
    }

    /// The answer of a task has come.
    mutating func deliver(_ response: Response, to slot: Int) {
        guard let work = connections[slot].work, let request = work.request else { return }
        work.request = nil
        work.task = nil
        if drainDeadline != nil { connections[slot].flags.insert(.lastAnswer) }
        let content = write(
            response, isLast: connections[slot].flags.contains(.lastAnswer),
            headOnly: connections[slot].flags.contains(.headOnly),
            // Cannot trap: 0 or 1.
            minorVersion: UInt8(request.minorVersion))
        outbox.finish(
            request,
            .init(status: response.status, content: content, tag: response.tag, started: work.started))
        connections[slot].phase = .idle
        if isRefusal(response.status), holdBack(slot) { return }
        settle(slot)
        if connections[slot].phase == .idle { resume(slot) }
    }

    /// Answers a message that is no request. `view` is what was read of it.
    mutating func refuse(_ slot: Int, _ error: MessageError, _ view: consuming RequestView? = nil) {
        let response = handler.refusal(error)
        let isHead = view?.method == .head
        let content = write(response, isLast: true, headOnly: isHead)
        let answer = Outbox.AnswerRecord(
            status: response.status, content: content, tag: response.tag, started: ticks)
        if let view {
            outbox.finish(view, answer)
        } else {
            outbox.finish(answer, to: connections[slot].work?.request?.peer ?? connections[slot].peer)
        }
        connections[slot].flags.insert(.lastAnswer)
        connections[slot].phase = .idle
    }

    /// Puts a whole answer into the outbox, but for `finish`; returns the bytes of its content.
    @discardableResult
    mutating func write(
        _ response: Response, isLast: Bool, headOnly: Bool, minorVersion: UInt8 = 1
    ) -> Int {
        let length = response.contentLength
        let part = (response.part ?? 0..<length).clamped(to: 0..<length)
        outbox.begin()
        ResponseHead.write(
            status: response.status, fields: response.fields, contentLength: part.count, into: &outbox.scratch
        )
        dateLine.write(at: now, into: &outbox.scratch)
        endFields(isLast: isLast, minorVersion: minorVersion)
        outbox.commit()
        guard !headOnly, ResponseHead.hasContent(response.status) else { return 0 }
        if let text = response.text {
            outbox.append(text, offset: part.lowerBound, count: part.count)
            outbox.keep(text)
            return part.count
        }
        guard let body = response.body else { return 0 }
        switch body {
        case .bytes(let bytes):
            outbox.append(bytes.pointer + part.lowerBound, count: part.count)
            outbox.keep(bytes)
        case .file(let file, _):
            outbox.append(file: file.raw, offset: part.lowerBound, count: part.count)
            outbox.keep(file)
        }
        return part.count
    }
}

// MARK: Refusals that wait

/// It asks its client to come again later (RFC 6585 §4, RFC 9110 §15.6.4).
private func isRefusal(_ status: Int) -> Bool { status == 429 || status == 503 }

extension EventLoop {
    /// Lets the refusal that is in the outbox wait there, with what may be before it on the same connection. False where
    /// it may go at once.
    private mutating func holdBack(_ slot: Int) -> Bool {
        guard drainDeadline == nil, held < max(1, configuration.heldConnections / max(1, configuration.loops))
        else { return false }
        let wait = refusalPace.hold(at: ticks)
        guard wait > 0 else { return false }
        held += 1
        state.heldRefusals.add(1, ordering: .relaxed)
        let work = work(of: slot)
        work.output = outbox.park()
        connections[slot].phase = .holding
        setDeadline(slot, microseconds: wait)
        return true
    }

    mutating func release(_ slot: Int) {
        guard let work = connections[slot].work, let sent = work.output?.sent else { return }
        held -= 1
        work.progress = sent
        connections[slot].phase = .writing
        setDeadline(slot, milliseconds: configuration.progressTimeout)
        continueWriting(slot)
    }
}

// MARK: Writing

extension EventLoop {
    /// Sends the outbox. False if the socket did not take all of it, and the connection is now writing, or is gone.
    @discardableResult
    mutating func flush(_ slot: Int) -> Bool {
        guard !outbox.isEmpty else { return true }
        let result = outbox.send(to: connections[slot].descriptor)
        outbox.report(to: handler, aborted: result == .failed)
        switch result {
        case .done:
            outbox.reset()
            return true
        case .blocked, .yielded:
            let work = work(of: slot)
            if result == .yielded { unfinished.append((slot, connections[slot].generation)) }
            work.output = outbox.park()
            work.progress = work.output?.sent ?? 0
            connections[slot].phase = .writing
            setDeadline(slot, milliseconds: configuration.progressTimeout)
        case .failed:
            outbox.reset()
            destroy(slot)
        }
        return false
    }

    mutating func continueWriting(_ slot: Int) {
        guard let work = connections[slot].work, var output = work.output.take() else { return }
        let result = output.send(to: connections[slot].descriptor)
        output.report(to: handler, aborted: result == .failed)
        switch result {
        case .blocked: work.output = consume output
        case .yielded:
            work.output = consume output
            unfinished.append((slot, connections[slot].generation))
        case .failed: destroy(slot)
        case .done:
            let generation = connections[slot].generation
            connections[slot].phase = .idle
            settle(slot)
            if connections[slot].phase == .idle { resume(slot) }
            if drainDeadline != nil, connections.isCurrent(slot, generation) { dismissIfIdle(slot) }
        }
    }

    /// After anything was put into the outbox: sends it, and brings the connection to rest.
    mutating func settle(_ slot: Int) {
        guard flush(slot), connections[slot].phase == .idle else { return }
        if connections[slot].flags.contains(.lastAnswer) { return linger(slot) }
        // After a proxy's header alone, the first head's deadline goes on.
        if connections[slot].requests > 0 { setDeadline(slot, milliseconds: configuration.idleTimeout) }
        if let work = connections[slot].work, work.isEmpty { connections[slot].work = nil }
    }

    /// RFC 9112 §9.6: closes our side, and reads on until the peer has closed its own: a close with unread input
    /// would be a reset, which can overtake the answer.
    private mutating func linger(_ slot: Int) {
        connections[slot].work = nil
        connections[slot].phase = .lingering
        shutdown(connections[slot].descriptor, Int32(SHUT_WR))
        setDeadline(slot, milliseconds: configuration.lingerTimeout)
        if connections[slot].flags.contains(.readable) { read(slot) }
    }
}

extension Outbox {
    mutating func finish(_ request: borrowing RequestView, _ answer: AnswerRecord) {
        finish(method: request.methodBytes, target: request.target, peer: request.peer, answer)
    }

    mutating func finish(_ request: Request, _ answer: AnswerRecord) {
        var (method, target) = (request.method, request.target)
        method.withUTF8 { method in
            target.withUTF8 { target in
                finish(
                    method: UnsafeRawBufferPointer(method), target: UnsafeRawBufferPointer(target),
                    peer: request.peer, answer)
            }
        }
    }

    /// For an answer to bytes that were never understood as a request.
    mutating func finish(_ answer: AnswerRecord, to peer: PeerAddress) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        finish(method: nothing, target: nothing, peer: peer, answer)
    }
}
