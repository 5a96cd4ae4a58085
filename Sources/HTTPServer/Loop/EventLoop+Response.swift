// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1
internal import HTTPSemantics
internal import Kernel

/// The answers that are not ready: those of tasks, and those to messages that are no request.
extension EventLoop {
    /// Sends the answer of a task.
    mutating func deliver(_ response: Response, to slot: Int, isLast: Bool) {
        guard let work = connections[slot].work, let request = work.request else {
            return handle(slot, .sendFailed)
        }
        work.request = nil
        work.task = nil
        if let stream = response.stream, ResponseHead.hasContent(response.status) {
            return begin(stream, of: response, to: request, on: slot, isLast: isLast)
        }
        let content = write(
            response, id: request.toldID(status: response.status), isLast: isLast,
            headOnly: request.method == "HEAD", minorVersion: request.minorVersion)
        if let notes = response.notes { outbox.keep(notes) }
        outbox.finish(
            request,
            .init(
                status: response.status, content: content, tag: response.tag, started: work.started,
                notes: response.notes.map(Unmanaged.passUnretained)))
        if isRefusal(response.status), delay(slot) { return }
        settle(slot)
    }

    /// Answers a message that is no request, or is late. If only the body is at fault, the request is known.
    mutating func refuse(_ slot: Int, _ error: MessageError) {
        guard let work = connections[slot].work, let request = work.request else {
            return refuse(slot, error, nil)
        }
        work.request = nil
        let response = handler.refusal(error)
        let content = write(
            response, id: request.toldID(status: response.status), isLast: true,
            headOnly: request.method == "HEAD")
        outbox.finish(
            request,
            .init(status: response.status, content: content, tag: response.tag, started: work.started))
    }

    /// Answers a message that is no request. `view` has the part of it that was read.
    mutating func refuse(_ slot: Int, _ error: MessageError, _ view: consuming RequestView?) {
        let response = handler.refusal(error)
        let isHead = view?.method == .head
        let own = view?.clientID
        let id = requestNumbers.take()
        let name = own.map { String(decoding: $0, as: UTF8.self) } ?? id.text
        let content = write(response, id: name, isLast: true, headOnly: isHead)
        let answer = Outbox.AnswerRecord(
            status: response.status, content: content, tag: response.tag, started: ticks, id: id)
        if let view {
            outbox.finish(view, answer)
        } else {
            outbox.finish(answer, to: connections[slot].peer)
        }
    }

    /// Puts a whole answer into the outbox, without `finish`; returns the bytes of its content.
    /// - Parameter id: the request's ID, if the answer must show it.
    @discardableResult
    mutating func write(
        _ response: Response, id: String?, isLast: Bool, headOnly: Bool, minorVersion: UInt8 = 1
    ) -> Int {
        let length = response.contentLength
        let part = (response.part ?? 0..<length).clamped(to: 0..<length)
        writeHead(of: response, .length(part.count), id: id, isLast: isLast, minorVersion: minorVersion)
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

    /// Puts an answer's head into the outbox.
    mutating func writeHead(
        of response: Response, _ framing: ResponseHead.Framing, id: String?, isLast: Bool, minorVersion: UInt8
    ) {
        outbox.begin()
        ResponseHead.write(
            status: response.status, fields: response.fields, framing: framing, into: &outbox.scratch)
        dateLine.write(at: now, into: &outbox.scratch)
        if let id { tell(id) }
        endFields(isLast: isLast, minorVersion: minorVersion)
        outbox.commit()
    }
}
