// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Pipeline
internal import Recipes
internal import Synchronization

/// Calls on the store's threads, and what happens to them while the disk hangs.
extension DiskStore {
    /// Runs a blocking call on one of the store's threads; nil if the disk hangs.
    /// - Parameter late: gets a result that comes after nil was returned.
    @discardableResult
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result,
        late: @escaping @Sendable (DiskStore, Result) -> Void = { _, _ in }
    ) async -> Result? {
        await threads.call({ work(self) }, late: { late(self, $0) })
    }

    /// Runs a call that waits for the index's writer. Such calls have threads of their own, so that many of them, or a locked
    /// index, do not delay reads of files. Nil if the disk hangs; the call may still be carried out later.
    @discardableResult
    package func performOrder<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        await orderThreads.call({ work(self) }, late: { _ in })
    }

    // MARK: A disk that hangs

    /// Milliseconds that the longest call to the disk has lasted. Calls that wait for the writer do not count, because an
    /// eviction, or an index that another program has locked, takes minutes.
    func longestCall(at now: Int) -> Int { threads.longestCall(at: now) }

    /// Milliseconds that the longest call of the index's writer has lasted: one change of a row, a commit, the removal of a file,
    /// or fdatasync(2) of the log.
    func longestWrite(at now: Int) -> Int {
        max(writer?.writer.longestCall(at: now) ?? 0, settling.withLock { $0.look(at: now) })
    }

    /// Frees the callers of all calls from waiting, except for calls under way that have not lasted for so long.
    func giveUp(callsOf milliseconds: Int) {
        threads.giveUp(callsOf: milliseconds)
        orderThreads.giveUp(callsOf: 0)
    }

    /// Accepts calls again.
    func goOn() {
        threads.goOn()
        orderThreads.goOn()
    }

    /// Drops an original that was kept after its fetch had given up waiting. The fetch goes on with a writable descriptor, so its
    /// file must not stay in the cache. Only touches memory.
    func withdraw(_ original: OriginalDigest) { remove(original) }

    /// Drops the original that a new one would have replaced if the new one had been kept. Only touches memory.
    func forgetFormer(of original: Original) {
        guard let former = catalogue.names[NameKey(original.key)], former.digest != original.digest.digest
        else { return }
        forgetOriginal(original.key)
    }
}
