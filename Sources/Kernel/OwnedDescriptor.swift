// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A file descriptor with one owner: it is closed when the last reference goes. A large file, and any whose disk hangs, is
/// closed after that, by `ClosingThread`.
///
/// A class and not a `~Copyable` struct, because a descriptor travels through async calls and is held by several
/// answers at once while a file is being sent.
///
/// **Isolation:** immutable but for an atomic count; reads and writes through it are positional (`pread`, `pwrite`,
/// `sendfile`).
package final class OwnedDescriptor: Sendable {
    /// The descriptor's number; valid while this object lives.
    package let raw: Int32
    /// The file's state when a store opened and verified it; nil for a descriptor that belongs to no store.
    package let state: FileState?
    private let whenBroken: (@Sendable (OwnedDescriptor, SystemError) -> Void)?
    /// The budget that counts the file's bytes while no cache does; nil for a file that is in none.
    package let held: HeldBytes?
    /// The budget of a file that was made without a name.
    private let budget: HeldBudget?
    /// Bytes of that budget. Written by whoever writes the file, so by one at a time.
    private let charged = Atomic<Int>(0)

    /// Takes over a descriptor that is open.
    package init(adopting raw: Int32) {
        self.raw = raw
        (state, whenBroken, held, budget) = (nil, nil, nil, nil)
    }

    /// Takes over a new file without a name. Its writer calls `grow` before.
    package init(adopting raw: Int32, in budget: HeldBudget, of held: HeldBytes) {
        self.raw = raw
        (state, whenBroken) = (nil, nil)
        (self.budget, self.held) = (budget, held)
    }

    /// Takes over a file that a store has opened.
    ///
    /// - Parameters:
    ///   - held: counts it once the store has evicted it.
    ///   - whenBroken: called when a read of the file fails, on the reading thread; must not block.
    package init(
        adopting raw: Int32, in state: FileState, of held: HeldBytes? = nil,
        whenBroken: @escaping @Sendable (OwnedDescriptor, SystemError) -> Void
    ) {
        self.raw = raw
        self.state = state
        self.whenBroken = whenBroken
        self.held = held
        budget = nil
        held?.watch(raw)
    }

    deinit {
        held?.endWatch(raw)
        let bytes = charged.load(ordering: .relaxed)
        // While the disk hangs, a small file without a name is not closed in time either: its blocks are freed by the journal.
        if max(bytes, state?.size ?? 0) >= ClosingThread.large || isOnHangingDisk,
            closingThread.take(raw, charged: bytes, to: budget)
        {
            return
        }
        close(raw)
        budget?.giveBack(bytes)
    }

    private var closingThread: ClosingThread { isInMemory ? .memory : .disk }

    /// True for a request's file in memory: no call to it waits for a disk. False for one that nobody counts.
    package var isInMemory: Bool { budget.map { $0 === held?.memory } ?? false }

    /// True while the disk hangs that the file lies on: a read of what the kernel has not in memory does not return.
    package var isOnHangingDisk: Bool { !isInMemory && held?.isDiskHanging ?? false }

    /// True if the file is in the state that its store verified: not written to, not cut, and with all its
    /// names. One fstat(2). False without a store.
    package var isUnchanged: Bool { state.map { FileState(raw) == $0 } ?? false }

    /// True if the bytes may differ from those that the store verified; the loss of a name alone alters
    /// nothing. One fstat(2). False without a store.
    package var isAltered: Bool { state?.isAltered(in: raw) ?? false }

    /// Reports a failed or short read to the file's store; does nothing without a store.
    package func cannotBeRead(_ error: SystemError) { whenBroken?(self, error) }
}

// MARK: What it holds

extension OwnedDescriptor {
    /// Takes room for the file's first `length` bytes; does nothing if it is in no budget. Call it before they are written.
    /// - Throws: `heldBytesSpent`.
    package func grow(to length: Int) throws(SystemError) {
        let before = charged.load(ordering: .relaxed)
        guard let budget, length > before else { return }
        try budget.take(from: before, to: length)
        charged.store(length, ordering: .relaxed)
    }

    /// Asks whether there is room for a file so long, without taking it.
    /// - Throws: `heldBytesSpent`.
    package func refuse(_ length: Int) throws(SystemError) { try budget?.refuse(length) }

    /// The file has a name in the cache, which counts it from now on.
    package func takeName() {
        budget?.giveBack(charged.exchange(0, ordering: .relaxed))
        held?.watch(raw)
    }

    /// Bytes that the file holds of a budget of which more than half is held; 0 for any other. One fstat(2).
    package var crowdingBytes: Int {
        guard let held else { return 0 }
        let charged = charged.load(ordering: .relaxed)
        if charged > 0 { return budget?.isCrowded == true ? charged : 0 }
        guard held.disk.isCrowded, let state = FileState(raw), state.links == 0 else { return 0 }
        return state.size
    }
}
