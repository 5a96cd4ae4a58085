// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

// Interim responses (RFC 9110 §15.2), which are sent before an answer.

extension EventLoop {
    mutating func sendContinue(_ slot: Int) {
        if writeContinue(to: slot) != .done { handle(slot, .sendFailed) }
    }

    /// Finds out whether a client that has shut its side still reads. Both a client that has left and one that has shut only its
    /// sending half send a FIN and no more. If bytes arrive then, the kernel of the former answers with a reset, which epoll reports;
    /// the latter ignores an interim response that it did not ask for (RFC 9110 §15.2).
    ///
    /// HTTP/1.0 has no interim responses, so such a client counts as gone, as in nginx.
    mutating func probe(_ slot: Int) {
        guard let request = connections[slot].work?.request, request.minorVersion > 0 else {
            return handle(slot, .departed)
        }
        // If the socket has no room, it is full of earlier answers, to which a reset comes as well.
        if writeContinue(to: slot) == .failed { handle(slot, .departed) }
    }

    /// Probes later a client whose FIN came with its request, because epoll does not report the FIN again. The probe waits until this
    /// iteration has sent the answers that are ready.
    mutating func probeSoon(_ slot: Int, _ request: Request) {
        guard connections[slot].state.hasHalfClosedPeer, request.minorVersion > 0 else { return }
        unfinished.append((slot, connections[slot].state.generation))
    }

    /// Sends `100 Continue`. The kernel has taken all earlier answers, and may have no room for more.
    /// - Returns: `.failed` also if only a part was sent, because no answer can follow half an interim response.
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
