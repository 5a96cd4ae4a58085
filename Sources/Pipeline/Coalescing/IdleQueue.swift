// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Work that no request waits for, each key once. It begins in the order in which it came, and only while the machine that it
/// needs is idle. A full queue takes nothing more; the next request may bring the work again.
///
/// While something waits, the machine is looked at again when a piece of work has ended, and every second.
///
/// **Isolation:** a `Mutex`, held while a piece of work is asked whether it may begin, and not while it is done.
final class IdleQueue<Key: Hashable & Sendable>: Sendable {
    typealias Work = @Sendable () async -> Void
    /// Tells whether work may begin beside so many other pieces of this queue. Must not call the queue.
    typealias MayBegin = @Sendable (_ others: Int) -> Bool

    private struct Piece {
        let key: Key
        let mayBegin: MayBegin
        let work: Work
    }

    private struct State {
        /// The oldest first.
        var waiting: [Piece] = []
        /// Of all that waits and all that is under way.
        var keys: Set<Key> = []
        var underWay = 0
        var isAlarmSet = false
        var isClosed = false

        mutating func next() -> Piece? {
            guard let first = waiting.first, first.mayBegin(underWay) else { return nil }
            underWay += 1
            // Cannot trap: there is a first.
            return waiting.removeFirst()
        }

        /// True if an alarm is to be set now.
        mutating func wantsAlarm() -> Bool {
            guard !waiting.isEmpty, !isAlarmSet else { return false }
            isAlarmSet = true
            return true
        }
    }

    /// Microseconds between two looks.
    private static var pause: Int64 { 1_000_000 }

    private let state = Mutex(State())
    private let environment: any Environment
    private let capacity: Int

    /// - Parameter capacity: pieces of work that may wait. A page has less than a hundred pictures. Each takes some 2 KB, or 100 KB
    ///   with the longest of URLs, so these take 25 MB at most.
    init(_ environment: any Environment, capacity: Int = 256) {
        self.environment = environment
        self.capacity = capacity
    }

    /// Pieces of work that wait or are under way.
    var count: Int { state.withLock(\.keys.count) }

    /// Takes the work of a key, unless the key is here already, or the queue is full or closed.
    func add(_ key: Key, when mayBegin: @escaping MayBegin, _ work: @escaping Work) {
        let isNew = state.withLock { state in
            guard !state.isClosed, state.waiting.count < capacity, state.keys.insert(key).inserted
            else { return false }
            state.waiting.append(Piece(key: key, mayBegin: mayBegin, work: work))
            return true
        }
        if isNew { begin() }
    }

    /// Drops the work that waits, and takes no more. Work under way goes on.
    func close() {
        // Returned, so that what it holds is let go of outside of the lock.
        _ = state.withLock { state -> [Piece] in
            defer { state.waiting = [] }
            state.isClosed = true
            for piece in state.waiting { state.keys.remove(piece.key) }
            return state.waiting
        }
    }

    private func begin() {
        while let piece = state.withLock({ $0.next() }) {
            // Inherits nothing of the request that brought it, which may have ended.
            Task.detached(priority: .background) {
                await piece.work()
                self.end(piece.key)
            }
        }
        guard state.withLock({ $0.wantsAlarm() }) else { return }
        environment.after(microseconds: Self.pause) { [weak self] in self?.look() }
    }

    private func look() {
        state.withLock { $0.isAlarmSet = false }
        begin()
    }

    private func end(_ key: Key) {
        state.withLock { state in
            state.underWay -= 1
            state.keys.remove(key)
        }
        begin()
    }
}
