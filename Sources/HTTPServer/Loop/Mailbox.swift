// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// A message from another thread to a loop.
enum LoopMessage: Sendable {
    /// The answer of a task, for the connection in this slot if it still has this generation.
    case answer(slot: Int, generation: UInt32, Response)
    /// The next piece of a streamed answer, for the same connection; nil if there are no more.
    case piece(slot: Int, generation: UInt32, ImmutableBytes?)
    /// Use this handler and this configuration from now on; `taken` is called once the loop does.
    case rules(any RequestHandler, HTTPServerConfiguration, taken: @Sendable () -> Void)
    /// Accept no more, and end by this time (`Clock.microseconds`).
    case drain(deadline: Int64)
}

/// A queue with many producers and one consumer: messages for a loop from other threads, and from tasks that run on the loop's
/// thread.
///
/// The loop announces when it is about to wait; only then a message wakes it, by eventfd(2), once for any number of messages. A loop
/// that is working looks into the mailbox before it waits again.
///
/// **Isolation:** any thread may post; everything else is the loop's. A `Mutex` guards the list and the loop's state.
final class Mailbox: Sendable {
    private struct State: Sendable {
        var messages: [LoopMessage] = []
        var isLoopAsleep = false
        var isClosed = false
    }

    private let wakeup: Wakeup
    private let state = Mutex(State())

    init() throws(ServerError) {
        do throws(SystemError) { wakeup = try Wakeup() } catch { throw .cannotStart(error) }
    }

    /// Becomes readable when a message wakes the loop.
    var descriptor: OwnedDescriptor { wakeup.descriptor }

    func post(_ message: LoopMessage) {
        let (wakes, isClosed) = state.withLock { state in
            if state.isClosed { return (false, true) }
            state.messages.append(message)
            defer { state.isLoopAsleep = false }
            return (state.isLoopAsleep, false)
        }
        if isClosed { message.drop() }
        if wakes { wakeup.signal() }
    }

    /// Closes the mailbox, because the loop has ended. Threads that wait until a message is handled go on, now and later.
    func close() {
        let messages = state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
        for message in messages { message.drop() }
    }

    /// Announces that the loop is about to wait: from now on a message wakes it. False if there are messages already.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.messages.isEmpty
            return state.isLoopAsleep
        }
    }

    /// Takes all messages, and marks the loop as awake.
    func take() -> [LoopMessage] {
        state.withLock { state in
            state.isLoopAsleep = false
            guard !state.messages.isEmpty else { return [] }
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Clears the event that woke the loop.
    func clear() { wakeup.clear() }
}

extension LoopMessage {
    /// Handles a message that no loop will read.
    fileprivate func drop() {
        if case .rules(_, _, let taken) = self { taken() }
    }
}
