// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// A message of another thread to a loop.
enum LoopMessage: Sendable {
    /// The answer of a task, for the connection in that slot if it still has that generation.
    case answer(slot: Int, generation: UInt32, Response)
    /// The next piece of a streamed answer, for the same; nil: there are no more.
    case piece(slot: Int, generation: UInt32, ImmutableBytes?)
    /// Give requests to that handler from now on, and go by that configuration.
    case rules(any RequestHandler, HTTPServerConfiguration, taken: @Sendable () -> Void)
    /// Accept no more, and be gone by then (`Clock.microseconds`).
    case drain(deadline: Int64)
}

/// A queue of many producers and one consumer: what other threads leave for a loop, and what the loop's own tasks do.
///
/// The loop says when it is about to wait, and is woken by eventfd(2) only then, once for any number of messages. While it
/// works, it looks into the box before it waits again.
///
/// **Isolation:** any thread posts; the loop does the rest. A `Mutex` around the list and the loop's state.
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

    /// Readable once a message has woken the loop.
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

    /// The loop has ended: whoever waits for what it does with a message goes on, now and from now on.
    func close() {
        let messages = state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
        for message in messages { message.drop() }
    }

    /// The loop is about to wait: from now on a message wakes it. False if there are messages already.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.messages.isEmpty
            return state.isLoopAsleep
        }
    }

    /// The messages there are. The loop is awake.
    func take() -> [LoopMessage] {
        state.withLock { state in
            state.isLoopAsleep = false
            guard !state.messages.isEmpty else { return [] }
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// The loop was woken: clears what woke it.
    func clear() { wakeup.clear() }
}

extension LoopMessage {
    /// There is no loop any more that could read it.
    fileprivate func drop() {
        if case .rules(_, _, let taken) = self { taken() }
    }
}
