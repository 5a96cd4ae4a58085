// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTP1
internal import HTTPSemantics
internal import Kernel

// Sends a streamed body, a piece at a time.

extension EventLoop {
    /// Puts the head of a streamed answer into the outbox. A HEAD gets nothing more.
    mutating func begin(
        _ body: StreamedBody, of response: Response, to request: Request, on slot: Int, isLast: Bool
    ) {
        let isHead = request.method == "HEAD"
        let isChunked = request.minorVersion > 0
        let isLast = isLast || !isChunked && !isHead
        writeHead(
            of: response, isChunked ? .chunked : .untilClose, id: request.toldID(status: response.status),
            isLast: isLast, minorVersion: request.minorVersion)
        let work = work(of: slot)
        let answer = Outbox.AnswerRecord(
            status: response.status, tag: response.tag, started: work.started)
        if isHead {
            outbox.finish(request, answer)
        } else {
            work.stream = OpenStream(body: body, request: request, isChunked: isChunked, answer: answer)
            limitBuffer(slot)
            handle(slot, .streamed(isEndless: body.isEndless, untilClose: !isChunked))
        }
        settle(slot)
    }

    /// Makes the socket's send buffer smaller, because the kernel would otherwise take megabytes for a client that does not read
    /// before the loop notices. The connection's later answers have the smaller buffer too.
    private func limitBuffer(_ slot: Int) {
        // Cannot trap: the configuration's value, some KiB.
        var size = Int32(configuration.streamBuffer)
        setsockopt(
            connections[slot].descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    mutating func awaitPiece(_ slot: Int) {
        guard let work = connections[slot].work, let body = work.stream?.body else { return }
        let (mailbox, generation) = (mailbox, connections[slot].state.generation)
        work.task = Task(priority: .background) {
            let piece = await body.next()
            mailbox.post(.piece(slot: slot, generation: generation, piece))
        }
    }

    /// Sends the piece that was awaited.
    mutating func send(_ piece: ImmutableBytes, on slot: Int) {
        guard let work = connections[slot].work, let stream = work.stream else {
            return handle(slot, .sendFailed)
        }
        work.task = nil
        // Skipped, because an empty chunk would mark the end.
        if piece.count > 0 {
            work.stream?.answer.content += piece.count
            if stream.isChunked { writeRaw(String(piece.count, radix: 16) + "\r\n") }
            outbox.append(piece.pointer, count: piece.count)
            outbox.keep(piece)
            if stream.isChunked { writeRaw("\r\n") }
        }
        settle(slot)
    }

    /// Ends the streamed answer, because it has no more pieces or a drain ends it.
    mutating func endStream(_ slot: Int) {
        guard let work = connections[slot].work, let stream = work.stream else {
            return handle(slot, .sendFailed)
        }
        work.task?.cancel()
        (work.task, work.stream) = (nil, nil)
        if stream.isChunked { writeRaw("0\r\n\r\n") }
        outbox.finish(stream.request, stream.answer)
        if outbox.isEmpty {
            outbox.report(to: handler)
            outbox.reset()
        }
        settle(slot)
    }

    private mutating func writeRaw(_ text: String) {
        outbox.begin()
        text.withFieldBytes { outbox.scratch.writeRaw($0) }
        outbox.commit()
    }

    /// Gives up a streamed answer, because the client has left or makes no progress.
    mutating func abandonStream(_ slot: Int) {
        guard let work = connections[slot].work, var stream = work.stream else { return }
        work.task?.cancel()
        stream.answer.content = max(stream.answer.content - (work.output?.pending ?? 0), 0)
        outbox.finish(stream.request, stream.answer)
        outbox.report(to: handler)
        outbox.reset()
    }
}
