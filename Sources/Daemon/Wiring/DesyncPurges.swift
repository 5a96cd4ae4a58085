// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Kernel
internal import Logging
internal import Origin
internal import Pipeline
internal import Platform
internal import SourceURLs
internal import Stores
internal import Synchronization

/// Forgets originals whose answers came over a connection that was out of step (desynchronised), together with their ready
/// answers, remembered failures and everything under way.
///
/// An original that cannot be forgotten stays marked as unproven and is tried again. If the daemon stops, the mark stays on the
/// disk for the next start.
///
/// **Isolation:** a `Mutex`, never held while a task waits.
final class DesyncPurges: Sendable {
    private struct State {
        var queue = DoubtQueue()
        var allowance = DoubtAllowance()
        /// True once the log has warned that the other nodes are not told of every doubt.
        var hasWarned = false
    }

    private let isShared: Bool
    private let forgetOriginals: @Sendable (Set<OriginalKey>) async throws(IndexUnreadable) -> Void
    /// Tells the other nodes, which may have read an original in the shared store before it was forgotten there; nil if there are
    /// none.
    private let tell: (@Sendable (OriginalKey) async throws -> Void)?
    /// Microseconds of the monotonic clock.
    private let ticks: @Sendable () -> Int64
    private let logger: Logger
    private let state = Mutex(State())
    private let bell = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        isShared: Bool, logger: Logger, ticks: @escaping @Sendable () -> Int64,
        tell: (@Sendable (OriginalKey) async throws -> Void)? = nil,
        forget: @escaping @Sendable (Set<OriginalKey>) async throws(IndexUnreadable) -> Void
    ) {
        (self.isShared, self.logger, self.ticks) = (isShared, logger, ticks)
        (self.tell, forgetOriginals) = (tell, forget)
    }

    convenience init(_ pipeline: Pipeline<Body>, isShared: Bool, _ news: FleetNews?, logger: Logger) {
        var tell: (@Sendable (OriginalKey) async throws -> Void)?
        if isShared, let news {
            tell = { key in
                _ = try await news.publish(PurgeOrder(.url(key)), at: SystemEnvironment.now())
            }
        }
        self.init(
            isShared: isShared, logger: logger, ticks: { SystemEnvironment().ticks() }, tell: tell
        ) { (keys) async throws(IndexUnreadable) in
            try await pipeline.forget(doubtful: keys)
        }
    }

    /// Forgets the originals that the downloader doubts, until `desyncs` ends.
    func start(_ desyncs: AsyncStream<Desync>, _ unproven: UnprovenAnswers) -> Task<Void, Never> {
        Task {
            async let collection: Void = collect(desyncs)
            for await _ in bell.stream { await forgetDue(unproven) }
            await collection
        }
    }

    private func collect(_ desyncs: AsyncStream<Desync>) async {
        for await desync in desyncs {
            note(desync)
            bell.continuation.yield()
        }
        bell.continuation.finish()
    }

    func note(_ desync: Desync) {
        state.withLock { $0.queue.add(desync.forgotten) }
        guard desync.isCertain else { return }
        logger.warning(
            "origin sends more than it announces: its connections serve one request each for now",
            metadata: ["origin": "\(desync.origin)", "forgotten": "\(desync.forgotten.count)"])
    }

    /// Forgets the doubts that wait, and those that are due to be tried again.
    func forgetDue(_ unproven: UnprovenAnswers) async {
        while true {
            var batch = state.withLock { $0.queue.next(at: ticks()) }
            if batch.isEmpty { return }
            if await forget(&batch) {
                unproven.remove(batch.map(\.key))
            } else {
                putBack(batch)
            }
        }
    }

    private func putBack(_ doubts: [Doubt]) {
        guard state.withLock({ $0.queue.putBack(doubts, at: ticks()) }) else { return }
        Task { [bell = bell.continuation] in
            try? await Task.sleep(for: .microseconds(DoubtQueue.pause), clock: .suspending)
            bell.yield()
        }
    }

    /// Removes from the shared store the originals that the disk has forgotten at its opening (`DiskStore.unproven`), because a
    /// process that was killed may have written them to both. An original that cannot be removed is tried again in the background,
    /// and is reported again at the next opening.
    func makeUp(for disk: DiskStore) async {
        guard isShared else { return disk.settle(disk.unproven) }
        await makeUp(disk.unproven.map { Doubt(key: $0) }, for: disk)
    }

    private func makeUp(_ doubts: [Doubt], for disk: DiskStore) async {
        var (queue, hasFailed) = (doubts[...], [Doubt]())
        while !queue.isEmpty {
            var batch = Array(queue.prefix(DoubtQueue.batch))
            queue = queue.dropFirst(DoubtQueue.batch)
            if await forget(&batch) {
                disk.settle(batch.map(\.key))
            } else {
                hasFailed += batch.map(\.failed)
            }
        }
        guard !hasFailed.isEmpty else { return }
        Task { [self, left = hasFailed, weak disk] in
            try? await Task.sleep(for: .microseconds(DoubtQueue.pause), clock: .suspending)
            if let disk { await makeUp(left, for: disk) }
        }
    }

    // MARK: One batch

    /// Forgets a batch. False if a restart could bring some of it back, here or at another node.
    private func forget(_ doubts: inout [Doubt]) async -> Bool {
        var failure: (any Error)?
        do throws(IndexUnreadable) { try await forgetOriginals(Set(doubts.map(\.key))) } catch {
            failure = error
        }
        let untold = await tellOthers(&doubts)
        guard let cause = failure ?? untold else { return true }
        if doubts.contains(where: { !$0.hasFailed }) {
            logger.error(
                "pictures in doubt could not be removed: their removal is tried again every ten seconds",
                metadata: ["cause": "\(cause)", "pictures": "\(doubts.count)"])
        }
        return false
    }

    /// Tells the other nodes of each doubt once, as far as the allowance permits.
    /// - Returns: the failure, if a restart would forget to tell them.
    private func tellOthers(_ doubts: inout [Doubt]) async -> (any Error)? {
        guard let tell else { return nil }
        let untold = doubts.indices.filter { !doubts[$0].isTold }
        let granted = allow(untold.count)
        let keys = untold.prefix(granted).map { (index: $0, key: doubts[$0].key) }
        for index in untold { doubts[index].isTold = true }
        let failures = await withTaskGroup(of: (index: Int, error: any Error)?.self) { group in
            for (index, key) in keys {
                group.addTask {
                    do { try await tell(key) } catch { return (index: index, error: error) }
                    return nil
                }
            }
            var failures: [(index: Int, error: any Error)] = []
            for await case let failure? in group { failures.append(failure) }
            return failures
        }
        for (index, _) in failures { doubts[index].isTold = false }
        state.withLock { $0.allowance.giveBack(failures.count) }
        return failures.first?.error
    }

    private func allow(_ count: Int) -> Int {
        let (granted, isFirst) = state.withLock { state in
            let granted = state.allowance.take(count, at: ticks())
            let isFirst = granted < count && !state.hasWarned
            if isFirst { state.hasWarned = true }
            return (granted, isFirst)
        }
        if isFirst {
            logger.warning(
                "more pictures are in doubt than the other nodes can be told of: those nodes may serve some until they are stale"
            )
        }
        return granted
    }
}
