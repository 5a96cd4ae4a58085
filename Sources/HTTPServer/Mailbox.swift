// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// What other threads tell a loop.
enum Letter: Sendable {
    /// The answer of a task, for the connection in that slot if it still has that generation.
    case answer(slot: Int, generation: UInt32, Response)
    /// The next piece of a streamed answer, for the same; nil: there are no more.
    case piece(slot: Int, generation: UInt32, ImmutableBytes?)
    /// Give requests to that handler from now on.
    case handler(any RequestHandler, taken: @Sendable () -> Void)
    /// Accept no more, and be gone by then (`Clock.microseconds`).
    case drain(deadline: Int64)
}

/// A queue of many producers and one consumer, woken by eventfd(2): what other threads leave for a loop.
///
/// **Isolation:** any thread posts; the loop takes. A `Mutex` around the list, and one eventfd(2) write for as many
/// letters as come before the loop looks.
final class Mailbox: Sendable {
    let descriptor: OwnedDescriptor
    private let letters = Mutex<[Letter]>([])

    init() throws(ServerError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .cannotStart(.last("eventfd")) }
        descriptor = OwnedDescriptor(adopting: raw)
    }

    func post(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        // It can only fail with EAGAIN, when the counter is full and the loop is awake anyway.
        _ = write(descriptor.raw, &one, 8)
    }

    func take() -> [Letter] {
        // The counter is cleared first: a letter that comes between the two is taken now and wakes once in vain.
        var counter: UInt64 = 0
        _ = read(descriptor.raw, &counter, 8)
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
