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
        /// Read, and take up requests, until the socket is empty.
        case read
        /// Take up requests that were read behind the last one, then read.
        case takeUpInput
        /// Drop the memory that an idle connection does not need.
        case dropWork
        /// Start the task that makes the answer.
        case startTask
        /// Write `100 Continue`.
        case sendContinue
        /// Write `100 Continue` to a client that has shut its side, to find out whether it has left.
        case probe
        /// Put the task's answer into the loop's outbox.
        case answer(isLast: Bool)
        /// Ask for the next piece of the answer, in a task.
        case awaitPiece
        /// Put the piece that was awaited into the loop's outbox.
        case sendPiece
        /// Put the end of a streamed answer into the loop's outbox.
        case endStream
        /// Put the connection's last answer, to a bad or late request, into the loop's outbox.
        case refuse(MessageError)
        /// Move the loop's outbox to the connection.
        case park
        /// Move the loop's outbox, with a refusal that must wait, to the connection.
        case parkRefusal
        /// Write the connection's outbox.
        case write
        /// Write the connection's outbox, because the refusal in it is due.
        case writeRefusal
        /// Measure the client's progress from now on.
        case markProgress
        /// Close our side (RFC 9112 §9.6), drop what was read, then read and drop what still arrives.
        case shutDown
        /// Close the socket and free the slot.
        case close(Ending)
    }

    /// How a connection ended, and so what must be returned and reported.
    enum Ending: UInt8 {
        /// All requests are answered, and all answers are sent.
        case quiet
        /// No proxy named the client in time, or correctly.
        case withoutProxyHeader
        /// A task was making the answer: cancel it, and report a 499.
        case unanswered
        /// A refusal was still delayed.
        case delayed
        /// An answer was not completely sent.
        case unsent
        /// An answer was not completely sent, because the client takes none of it. Close with a reset, which frees what the kernel
        /// holds.
        case stalled
        /// The loop reported an event that cannot happen in this phase. The connection's state is unknown then, so it ends.
        case fault
    }

    enum Timer: Hashable {
        case keep
        case stop
        case start(Timeout)
    }

    /// The deadlines of a connection. Their lengths are in `HTTPServerConfiguration`.
    enum Timeout: Hashable {
        /// The time for a PROXY header, or for a head.
        case head
        case body
        /// The time between requests.
        case idle
        /// The time for a request that was sent before the client could know of a drain.
        case farewell
        /// The time in which an answer must make some progress.
        case progress
        /// The time for the peer to close its side after ours.
        case linger
        /// The time until a delayed refusal is sent.
        case refusal(microseconds: Int64)
    }
}
