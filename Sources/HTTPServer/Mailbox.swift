// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
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

    let descriptor: OwnedDescriptor
    private let state = Mutex(State())

    init() throws(ServerError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .cannotStart(.last("eventfd")) }
        descriptor = OwnedDescriptor(adopting: raw)
    }

    func post(_ message: LoopMessage) {
        let (wakes, isClosed) = state.withLock { state in
            if state.isClosed { return (false, true) }
            state.messages.append(message)
            defer { state.isLoopAsleep = false }
            return (state.isLoopAsleep, false)
        }
        if isClosed { message.drop() }
        guard wakes else { return }
        var one: UInt64 = 1
        // It can only fail with EAGAIN, when the counter is full and the loop is awake anyway.
        _ = write(descriptor.raw, &one, 8)
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
    func clear() {
        var counter: UInt64 = 0
        _ = read(descriptor.raw, &counter, 8)
    }
}

extension LoopMessage {
    /// There is no loop any more that could read it.
    fileprivate func drop() {
        if case .rules(_, _, let taken) = self { taken() }
    }
}
