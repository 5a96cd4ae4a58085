// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

extension ConnectionState {
    /// The next act of the event loop for a connection: at most one step, and at most one change of its
    /// deadline. A value of a few words, so that a cached answer costs no allocation.
    struct Action: Hashable {
        var step = Step.none
        var timer = Timer.keep
    }

    enum Step: Hashable {
        case none
        /// Register the socket with epoll.
        case watch
        /// Read, and take up what was read, until the socket is empty.
        case read
        /// Take up what was read behind the last request, then read.
        case takeUpInput
        /// Hold no more than an idle connection needs.
        case dropWork
        /// Start the task that makes the answer.
        case startTask
        /// Write `100 Continue`.
        case sendContinue
        /// Write `100 Continue` to a client that has shut its side, to learn whether it has left.
        case probe
        /// Put the task's answer into the loop's outbox.
        case answer(isLast: Bool)
        /// Ask for the next piece of the answer, in a task.
        case awaitPiece
        /// Put the piece that has come into the loop's outbox.
        case sendPiece
        /// Put the end of a streamed answer into the loop's outbox.
        case endStream
        /// Put an answer to a bad or late request into the loop's outbox, the connection's last.
        case refuse(MessageError)
        /// Move the loop's outbox to the connection.
        case park
        /// Move the loop's outbox to the connection, with a refusal in it that has to wait.
        case parkRefusal
        /// Write the connection's outbox.
        case write
        /// Write the connection's outbox, with the refusal whose time has come.
        case writeRefusal
        /// Measure the client's progress from here.
        case markProgress
        /// Close our side (RFC 9112 §9.6), drop what was read, then read what still comes.
        case shutDown
        /// Close the socket and free the slot.
        case close(Ending)
    }

    /// How a connection ended: what there is to give back and to tell.
    enum Ending: UInt8 {
        /// Nothing was unanswered or unsent.
        case quiet
        /// No proxy said in time, or correctly, for whom it connects.
        case withoutProxyHeader
        /// A task was making the answer: cancel it, and tell of a 499.
        case unanswered
        /// A refusal was still waiting for its time.
        case delayed
        /// An answer was not sent to its end.
        case unsent
        /// An answer was not sent to its end, because the client takes none of it. Close with a reset, which frees what the
        /// kernel holds.
        case stalled
        /// The loop told of an event that cannot happen in this phase. The connection's state is then unknown, so it ends.
        case fault
    }

    enum Timer: Hashable {
        case keep
        case stop
        case start(Timeout)
    }

    /// The deadlines of a connection. Their lengths are the configuration's (`HTTPServerConfiguration`).
    enum Timeout: Hashable {
        /// For a PROXY header, and for a head.
        case head
        case body
        /// Between requests.
        case idle
        /// For a request that was sent before the client could know of a drain.
        case farewell
        /// For some progress of an answer.
        case progress
        /// For the peer to close its side after us.
        case linger
        /// Until a refusal may leave.
        case refusal(microseconds: Int64)
    }
}
