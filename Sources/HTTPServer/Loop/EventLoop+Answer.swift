// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics
internal import Kernel

/// From the request to a ready answer or to a task.
extension EventLoop {
    /// Takes up a request. It gets, in this order, a refusal because its client is beyond its rate, a cached answer, an answer at
    /// hand, or a task.
    /// - Returns: the length of its head; nil if the request must wait until earlier answers are sent.
    mutating func answer(_ slot: Int, _ request: borrowing RequestView) throws(MessageError) -> Int? {
        let head = request.head
        let isLast = connections[slot].state.isLast(
            keepsAlive: head.keepsAlive, limit: configuration.requestsPerConnection)
        let isAdmitted = takeAdmission(slot)
        if mayRefuse, !isAdmitted {
            let isLast = isLast || head.hasBody
            if let status = takeRefusal(request, isLast: isLast) {
                pass(slot, status, isLast: isLast)
                return head.length
            }
        }
        if !head.hasBody, head.mayBeHeld,
            let status = takeCachedAnswer(request, isLast: isLast)
                ?? takeAnswerAtHand(request, isLast: isLast)
        {
            pass(slot, status, isLast: isLast)
            return head.length
        }
        guard flush(slot) else {
            connections[slot].work?.isAdmitted = mayRefuse
            return nil
        }
        if head.hasBody, head.mayBeHeld { handler.countLookup(of: request) }
        try startWaiting(slot, request, isLast: isLast)
        return head.length
    }

    /// True if the handler admitted this request before it had to wait for earlier answers, so that it does not count twice for the
    /// client's rate. True once for each such request.
    private func takeAdmission(_ slot: Int) -> Bool {
        guard let work = connections[slot].work, work.isAdmitted else { return false }
        work.isAdmitted = false
        return true
    }

    /// Takes the handler's refusal. The connection ends with it if the request has content, because the content is not waited for.
    private mutating func takeRefusal(_ request: borrowing RequestView, isLast: Bool) -> Int? {
        beginTail()
        let refusal = handler.refusal(of: request, ticks: ticks, tail: &outbox.scratch)
        return take(refusal, to: request, isLast: isLast)
    }

    private mutating func takeCachedAnswer(_ request: borrowing RequestView, isLast: Bool) -> Int? {
        beginTail()
        let cachedAnswer = handler.cachedAnswer(request, now: now, tail: &outbox.scratch)
        return take(cachedAnswer, to: request, isLast: isLast)
    }

    /// Asks for an answer at hand. The request counts as one of those that start at once, with or without an answer.
    private mutating func takeAnswerAtHand(_ request: borrowing RequestView, isLast: Bool) -> Int? {
        guard mayStartAtOnce(request.target.count) else { return nil }
        startedAtOnce += 1
        beginTail()
        let answer = handler.answerAtHand(request, now: now, tail: &outbox.scratch)
        return take(answer, to: request, isLast: isLast)
    }

    /// Begins the fields that the handler adds to a ready answer's head.
    @inline(__always)
    private mutating func beginTail() {
        outbox.begin()
        dateLine.write(at: now, into: &outbox.scratch)
    }

    /// Puts a ready answer into the loop's outbox.
    /// - Returns: the answer's status; nil if there is no answer.
    @inline(__always)
    private mutating func take(
        _ answer: ReadyAnswer?, to request: borrowing RequestView, isLast: Bool
    ) -> Int? {
        guard let ready = answer else {
            outbox.cancel()
            return nil
        }
        let id = requestNumbers.take()
        tell(id, of: request, status: ready.status)
        endFields(isLast: isLast, minorVersion: request.head.minorVersion)
        outbox.append(ready.head.pointer, count: ready.head.count)
        outbox.commit()
        let content = if case .head = request.method { 0 } else { ready.bodyLength }
        if let pointer = ready.bodyPointer {
            outbox.append(pointer, count: content)
        } else if let text = ready.text {
            outbox.append(text, offset: 0, count: content)
        } else {
            outbox.append(file: ready.bodyDescriptor, offset: 0, count: content)
        }
        outbox.finish(
            request,
            .init(
                status: ready.status, content: content, tag: ready.tag, started: ticks, id: id,
                notes: ready.notes.map(Unmanaged.passUnretained)))
        outbox.keep(ready)
        return ready.status
    }

    /// Reports a ready answer in the outbox to the connection's state. It is sent together with the next answers, unless it is a
    /// refusal that must wait, or the outbox is full.
    @inline(__always)
    private mutating func pass(_ slot: Int, _ status: Int, isLast: Bool) {
        handle(slot, .answered(isLast: isLast))
        if isRefusal(status), delay(slot) { return }
        if outbox.isFull { flush(slot) }
    }

    mutating func endFields(isLast: Bool, minorVersion: UInt8) {
        if isLast {
            outbox.scratch.writeRaw("Connection: close\r\n")
        } else if minorVersion == 0 {
            // RFC 9112 §9.3: without this field, an HTTP/1.0 client expects the connection to close.
            outbox.scratch.writeRaw("Connection: keep-alive\r\n")
        }
        outbox.scratch.writeRaw("\r\n")
    }

    /// Prepares for a request that needs its body, or a task. The outbox is empty.
    private mutating func startWaiting(
        _ slot: Int, _ request: borrowing RequestView, isLast: Bool
    ) throws(MessageError) {
        let head = request.head
        let decoder: BodyDecoder? =
            head.hasBody ? try BodyDecoder(head.framing, limits: configuration.limits) : nil
        let work = work(of: slot)
        work.started = ticks
        work.request = request.owned()
        work.request?.hasOwnID = request.clientID != nil
        work.request?.id =
            request.clientID.map { String(decoding: $0, as: UTF8.self) } ?? requestNumbers.take().text
        work.body = decoder
        // RFC 9110 §10.1.1: only if the client may still be waiting for it.
        let waits = head.expectsContinue && head.length == request.bytesRead
        let body: ConnectionState.RequestBody =
            decoder == nil ? .none : waits ? .expectedAfterContinue : .expected
        handle(slot, .awaited(isLast: isLast, body))
    }

    mutating func startTask(_ slot: Int) {
        guard let work = connections[slot].work, let request = work.request else { return }
        let (handler, mailbox, generation) = (handler, mailbox, connections[slot].state.generation)
        let respond: @Sendable () async -> Void = {
            let response = await CurrentRequest.$id.withValue(request.id) {
                await handler.respond(to: request)
            }
            mailbox.post(.answer(slot: slot, generation: generation, response))
        }
        // Answers that need no wait are sent first (`WorkerThread.Turn`).
        if mayStartAtOnce(request.target.utf8.count) {
            startedAtOnce += 1
            work.task = Task.immediate(priority: .background, operation: respond)
        } else {
            work.task = Task(priority: .background, operation: respond)
        }
        probeSoon(slot, request)
    }

    /// True if a request with a target of this length is answered on this thread, or its task runs here until its first wait. So a
    /// file in the kernel's page cache is answered without another thread, as long as few requests come at once.
    private func mayStartAtOnce(_ length: Int) -> Bool {
        startsAtOnce && startedAtOnce < Self.startsPerIteration && length <= Self.longestTargetAtOnce
    }
}

// By patterns, because `==` for another module's enum would go through a witness table for each request.

extension RequestHead {
    fileprivate var hasBody: Bool { if case .none = framing { false } else { true } }

    /// True if the handler may hold a cached answer to the request, which it is asked for unless there is a body.
    fileprivate var mayBeHeld: Bool {
        guard case .origin = form else { return false }
        return switch method {
        case .get, .head: true
        case .options, .other: false
        }
    }
}
