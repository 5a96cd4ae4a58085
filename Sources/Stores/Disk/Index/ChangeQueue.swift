// SPDX-License-Identifier: Apache-2.0

/// The queue of changes for the index, from many threads to the one writer, in batches.
///
/// **Isolation:** a `Monitor` guards the state; pushing never waits for the writer.
final class ChangeQueue: Sendable {
    /// The most changes per transaction. At about 20 µs for each change, it takes 20 ms.
    static let batch = 1_000
    /// The most changes that may wait, in 20 MB of memory without their texts. If more wait, the disk hangs: nothing new is kept,
    /// and changes that a restart can make up for are not queued. Removals are still queued; there are at most as many as entries.
    static let limit = 100_000
    /// The most bytes of waiting changes' texts: 300 for each change, as usual URLs and fields have. About 500 changes with 64 KiB
    /// of fields each reach this limit.
    static let textLimit = 32 << 20

    /// Orders to the writer besides changes.
    enum Order: Sendable {
        /// Evict down to the low water, even if the high water is not reached.
        case shrink
        /// Give the index's free pages back to the file system.
        case compact
    }

    /// How long the writer waits for its next batch.
    enum Wait: Sendable {
        /// The writer waits for a change, and then for `interval`, so that more changes join it.
        case idle
        /// As `idle`, but at most for `interval`, because the writer has marks or lost rows to remove.
        case working
        /// The writer does not wait, because it has more to evict.
        case busy
        /// The writer waits for `interval`, with or without changes, because the last transaction failed.
        case retrying
    }

    private struct State: Sendable {
        var orders: [Order] = []
        var ordered = 0
        var obeyed = 0
        var waiting: [Change] = []
        /// Bytes of the texts in `waiting`.
        var waitingText = 0
        /// Changes that the writer holds back until a transaction succeeds.
        var heldBack = 0
        /// Bytes of the texts that the writer has: those of its batch, and those of the changes that it holds back.
        var takenText = 0
        var heldBackText = 0
        var pushed = 0
        var finished = 0
        /// Batches that the writer has processed.
        var rounds = 0
        /// True if the writer has nothing to evict.
        var isSettled = false
        /// True while the writer evicts: entries leave memory before their rows leave the index.
        var isEvicting = false
        /// True if the writer must check whether there is something to evict.
        var isNudged = false
        /// True if a thread waits for a commit, or the queue is being closed, so that the writer must not wait for more changes.
        var isUrgent = false
        var isClosed = false
        /// True once the writer has ended, or if there is none.
        var isOver = false
        /// True if the writer need not wait for more changes.
        var hasBatch: Bool {
            waiting.count >= ChangeQueue.batch || waitingText >= ChangeQueue.textLimit / 4
        }
    }

    private let monitor = Monitor(State())
    /// How many milliseconds the first change of a batch waits for others.
    private let interval: Int

    init(interval: Int) { self.interval = interval }

    var isFull: Bool {
        monitor.withLock {
            $0.waiting.count + $0.heldBack >= Self.limit
                || $0.waitingText + $0.takenText + $0.heldBackText >= Self.textLimit
        }
    }

    func push(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let text = changes.textBytes
        let wakes = monitor.withLock { state in
            guard !state.isOver else { return false }
            let wasEmpty = state.waiting.isEmpty
            state.waiting.append(contentsOf: changes)
            state.waitingText += text
            state.pushed += changes.count
            return wasEmpty || state.hasBatch
        }
        if wakes { monitor.wakeAll() }
    }

    func push(_ row: RowChange) { push([Change(row)]) }

    /// Gives an order and waits until it is carried out; for `shrink`, until the writer has begun.
    func order(_ order: Order) {
        let number = monitor.withLock { state in
            state.orders.append(order)
            state.ordered += 1
            state.isUrgent = true
            return state.ordered
        }
        monitor.wakeAll()
        monitor.wait { $0.isOver || $0.obeyed >= number ? () : nil }
    }

    func takeOrders() -> [Order] { monitor.withLock { exchange(&$0.orders, with: []) } }

    /// True while rows of failed transactions wait for a transaction that succeeds.
    var holdsBack: Bool { monitor.withLock { $0.heldBack > 0 } }

    /// True once no more changes are written.
    var isOver: Bool { monitor.withLock { $0.isOver } }

    /// Makes the writer check whether there is something to evict.
    func nudge() {
        monitor.withLock { state in
            state.isNudged = true
            state.isSettled = false
        }
        monitor.wakeAll()
    }

    /// The writer's next batch, which may be empty; nil once the queue is closed and empty.
    func take(_ wait: Wait) -> [Change]? {
        if wait == .idle {
            monitor.wait {
                $0.isClosed || $0.isNudged || !$0.waiting.isEmpty || !$0.orders.isEmpty ? () : nil
            }
        }
        if wait != .busy {
            _ = monitor.wait(milliseconds: interval) { state in
                let isEnough = wait != .retrying && (state.isNudged || state.hasBatch)
                return state.isUrgent || state.isClosed || isEnough ? true : nil
            }
        }
        return monitor.withLock { state in
            if state.isClosed, state.waiting.isEmpty { return nil }
            state.isNudged = false
            let batch = Array(state.waiting.prefix(Self.batch))
            // Cannot trap: the batch is the beginning of the queue.
            state.waiting.removeFirst(batch.count)
            state.takenText = batch.textBytes
            state.waitingText -= state.takenText
            return batch
        }
    }

    /// Notes that the writer begins to evict a slice; `finish` ends it.
    func beginEviction() { monitor.withLock { $0.isEvicting = true } }

    /// Records a batch: `count` more changes are processed, `heldBack` are waiting, and unless `isSettled` the writer has more to
    /// evict.
    func finish(_ count: Int, orders: Int = 0, heldBack: [Change], isSettled: Bool) {
        let (heldBack, text) = (heldBack.count, heldBack.textBytes)
        monitor.withLock { state in
            (state.takenText, state.heldBackText) = (0, text)
            state.finished += count
            state.obeyed += orders
            state.rounds += 1
            state.heldBack = heldBack
            state.isSettled = isSettled && !state.isNudged
            state.isEvicting = false
            if state.finished == state.pushed, state.orders.isEmpty { state.isUrgent = false }
        }
        monitor.wakeAll()
    }

    /// Waits until all earlier changes are committed or have failed once more, including those of the slice that is being
    /// evicted.
    /// - Parameters:
    ///   - forRoom: true to wait also until each partition has room again. An eviction of a million files takes minutes.
    ///   - isAway: called twice a second; true ends the wait.
    func flush(forRoom: Bool, unless isAway: () -> Bool = { false }) {
        let (target, rounds) = monitor.withLock { state in
            if state.finished < state.pushed || state.heldBack > 0 { state.isUrgent = true }
            return (state.pushed, state.heldBack > 0 || state.isEvicting ? state.rounds + 1 : 0)
        }
        monitor.wakeAll()
        func end(_ state: inout State) -> Void? {
            let isDone = state.finished >= target && state.rounds >= rounds
            return state.isOver || isDone && (state.isSettled || !forRoom) ? () : nil
        }
        while !isAway(), monitor.wait(milliseconds: 500, until: end) == nil {}
    }

    /// Ends all waiting, because the writer accepts no more changes.
    func end() {
        monitor.withLock { $0.isOver = true }
        monitor.wakeAll()
    }

    func close() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
    }
}

extension [Change] {
    /// Bytes of the changes' texts.
    fileprivate var textBytes: Int { reduce(0) { $0 + $1.row.textBytes } }
}
