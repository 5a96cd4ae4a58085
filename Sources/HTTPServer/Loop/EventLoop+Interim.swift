// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

// Interim responses (RFC 9110 §15.2): what goes out before an answer.

extension EventLoop {
    mutating func sendContinue(_ slot: Int) {
        if writeContinue(to: slot) != .done { handle(slot, .sendFailed) }
    }

    /// Asks a client that has shut its side whether it still reads. A client that has left, and one that has shut its sending
    /// half alone, both send a FIN and no more. To bytes that come then, the former's kernel answers with a reset, which epoll
    /// tells; the latter discards an interim response that it has not asked for (RFC 9110 §15.2).
    ///
    /// HTTP/1.0 has no interim responses, so such a client is taken to have left, as nginx does.
    mutating func probe(_ slot: Int) {
        guard let request = connections[slot].work?.request, request.minorVersion > 0 else {
            return handle(slot, .departed)
        }
        // A socket without room is full of earlier answers, which bring the reset as well.
        if writeContinue(to: slot) == .failed { handle(slot, .departed) }
    }

    /// The FIN came with the request, so epoll does not tell of it again. The probe waits until the iteration has sent what is
    /// answered at once.
    mutating func probeSoon(_ slot: Int, _ request: Request) {
        guard connections[slot].state.hasHalfClosedPeer, request.minorVersion > 0 else { return }
        unfinished.append((slot, connections[slot].state.generation))
    }

    /// Sends `100 Continue`. The kernel has all earlier answers, and may have no room for more.
    /// - Returns: `.failed` also if only a part was sent: no answer can follow half an interim response.
    private mutating func writeContinue(to slot: Int) -> Outbox.Result {
        outbox.begin()
        outbox.scratch.writeRaw("HTTP/1.1 100 Continue\r\n\r\n")
        outbox.commit()
        let result = outbox.send(to: connections[slot].descriptor)
        let isCut = result != .done && outbox.sent > 0
        outbox.reset()
        return isCut ? .failed : result
    }
}
