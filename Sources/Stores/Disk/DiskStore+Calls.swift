// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Pipeline
internal import Recipes
internal import Synchronization

/// Calls on the store's threads, and what becomes of them while the disk hangs.
extension DiskStore {
    /// Runs a blocking call on one of the store's threads; nil if the disk hangs.
    /// - Parameter late: gets a result that comes after nil was returned. Nobody else does.
    @discardableResult
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result,
        late: @escaping @Sendable (DiskStore, Result) -> Void = { _, _ in }
    ) async -> Result? {
        await threads.call({ work(self) }, late: { late(self, $0) })
    }

    /// Runs a call that waits for the index's writer, on threads for such calls alone: many at once, or an index that is
    /// locked, keep nobody waiting who reads a file. Nil if the disk hangs; the call may be carried out all the same, later.
    @discardableResult
    package func performOrder<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        await orderThreads.call({ work(self) }, late: { _ in })
    }

    // MARK: A disk that hangs

    /// Milliseconds that the longest call to the disk has lasted. Those that wait for the writer tell nothing: an eviction, or
    /// an index that another program has locked, takes minutes.
    func longestCall(at now: Int) -> Int { threads.longestCall(at: now) }

    /// Milliseconds that the longest call of the index's writer has lasted: one change of a row, a commit, the removal of a file,
    /// or the wait until the medium has all.
    func longestWrite(at now: Int) -> Int {
        max(writer?.writer.longestCall(at: now) ?? 0, settling.withLock { $0.look(at: now) })
    }

    /// Ends the waiting for calls, but for those under way that have lasted less.
    func giveUp(callsOf milliseconds: Int) {
        threads.giveUp(callsOf: milliseconds)
        orderThreads.giveUp(callsOf: 0)
    }

    /// Takes calls again.
    func goOn() {
        threads.goOn()
        orderThreads.goOn()
    }

    /// Drops an original that was kept when nobody waited for it any more. Its fetch goes on with a descriptor that can be
    /// written to, so it must not be the cache's file. Touches memory only.
    func withdraw(_ original: OriginalDigest) { remove(original) }

    /// Drops what a new original would have replaced, had it been kept. Touches memory only.
    func forgetFormer(of original: Original) {
        guard let former = catalogue.names[NameKey(original.key)], former.digest != original.digest.digest
        else { return }
        forgetOriginal(original.key)
    }
}
