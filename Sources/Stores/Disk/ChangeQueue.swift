// SPDX-License-Identifier: Apache-2.0

/// Changes on their way to the index, from many threads to its one writer, in batches.
///
/// **Isolation:** a `Monitor`; pushing never waits for the writer.
final class ChangeQueue: Sendable {
    /// Changes in one transaction. At about 20 µs each it lasts 20 ms.
    static let batch = 1_000
    /// Changes that may wait. Beyond, the disk is stuck and nothing new is kept: 20 MB of memory at most.
    static let limit = 100_000

    /// What only the writer can do, beside its changes.
    enum Order: Sendable {
        /// Evict down to the low water, even from below the high water.
        case shrink
        /// Give the index's free pages back to the file system.
        case compact
    }

    private struct State: Sendable {
        var orders: [Order] = []
        var ordered = 0
        var obeyed = 0
        var waiting: [Change] = []
        var pushed = 0
        var finished = 0
        /// The writer has nothing to evict.
        var isSettled = false
        /// Somebody waits for a commit, or the end has come: do not wait for more.
        var isUrgent = false
        var isClosed = false
        /// The writer is gone.
        var isOver = false
    }

    private let monitor = Monitor(State())
    /// Milliseconds for which the first change of a batch waits for others.
    private let interval: Int

    init(interval: Int) { self.interval = interval }

    var isFull: Bool { monitor.withLock { $0.waiting.count >= Self.limit } }

    func push(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let wakes = monitor.withLock { state in
            guard !state.isOver else { return false }
            let wasEmpty = state.waiting.isEmpty
            state.waiting.append(contentsOf: changes)
            state.pushed += changes.count
            return wasEmpty || state.waiting.count >= Self.batch
        }
        if wakes { monitor.wakeAll() }
    }

    func push(_ row: RowChange) { push([Change(row)]) }

    /// Waits until the writer has done it; for `shrink`, until it has begun.
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

    func takeOrders() -> [Order] {
        monitor.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// The writer's next batch; nil when the queue is closed and empty. A `busy` writer is not kept waiting: it gets
    /// what there is, perhaps nothing.
    func take(busy: Bool) -> [Change]? {
        if !busy {
            monitor.wait { $0.isClosed || !$0.waiting.isEmpty || !$0.orders.isEmpty ? () : nil }
            _ = monitor.wait(milliseconds: interval) { state in
                state.isUrgent || state.isClosed || state.waiting.count >= Self.batch ? true : nil
            }
        }
        return monitor.withLock { state in
            if state.isClosed, state.waiting.isEmpty { return nil }
            let batch = Array(state.waiting.prefix(Self.batch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// The writer has dealt with that many more changes, and may have more to evict.
    func finish(_ count: Int, orders: Int = 0, isSettled: Bool) {
        monitor.withLock { state in
            state.finished += count
            state.obeyed += orders
            state.isSettled = isSettled
            if state.finished == state.pushed, state.orders.isEmpty { state.isUrgent = false }
        }
        monitor.wakeAll()
    }

    /// Waits until everything that was pushed before is committed, and each shelf has room again.
    func flush() {
        let target = monitor.withLock { state in
            if state.finished < state.pushed { state.isUrgent = true }
            return state.pushed
        }
        monitor.wakeAll()
        monitor.wait { $0.isOver || $0.finished >= target && $0.isSettled ? () : nil }
    }

    /// The writer takes nothing any more.
    func end() {
        monitor.withLock { $0.isOver = true }
        monitor.wakeAll()
    }

    func close() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
    }
}
