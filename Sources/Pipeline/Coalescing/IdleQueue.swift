// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Work that no request waits for, at most once for each key. The work begins in order of arrival, and only while the machine that it
/// needs is idle. A full queue refuses new work; the next request for the same key may bring it again.
///
/// While work waits, the queue asks whether the next piece may begin when a piece has ended, and every second.
///
/// **Isolation:** a `Mutex`, held while `mayBegin` is asked, but not while work runs.
final class IdleQueue<Key: Hashable & Sendable>: Sendable {
    typealias Work = @Sendable () async -> Void
    /// Tells whether work may begin beside `others` other pieces of this queue. Must not call the queue.
    typealias MayBegin = @Sendable (_ others: Int) -> Bool

    private struct Piece {
        let key: Key
        let mayBegin: MayBegin
        let work: Work
    }

    private struct State {
        /// The oldest first.
        var waiting: [Piece] = []
        /// The keys of the waiting work and of the work under way.
        var keys: Set<Key> = []
        var underWay = 0
        var isAlarmSet = false
        var isClosed = false

        mutating func next() -> Piece? {
            guard let first = waiting.first, first.mayBegin(underWay) else { return nil }
            underWay += 1
            // Cannot trap: the list is not empty.
            return waiting.removeFirst()
        }

        /// True if the caller must set an alarm now.
        mutating func wantsAlarm() -> Bool {
            guard !waiting.isEmpty, !isAlarmSet else { return false }
            isAlarmSet = true
            return true
        }
    }

    /// Microseconds between two checks.
    private static var pause: Int64 { 1_000_000 }

    private let state = Mutex(State())
    private let environment: any Environment
    private let capacity: Int

    /// - Parameter capacity: pieces of work that may wait. A page has fewer than a hundred pictures. A piece takes some 2 KB, or 100
    ///   KB with the longest URL, so 256 pieces take 25 MB at most.
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

    /// Drops the waiting work, and accepts no more. Work under way goes on.
    func close() {
        // Returns the pieces, so that what they hold is released outside of the lock.
        _ = state.withLock { state -> [Piece] in
            defer { state.waiting = [] }
            state.isClosed = true
            for piece in state.waiting { state.keys.remove(piece.key) }
            return state.waiting
        }
    }

    private func begin() {
        while let piece = state.withLock({ $0.next() }) {
            // A detached task inherits nothing from the request that brought the work, because that request may have ended.
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
