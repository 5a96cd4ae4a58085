// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A file descriptor with one owner: it is closed when the last reference goes. `ClosingThread` then closes large files and files
/// on a disk that hangs.
///
/// A class and not a `~Copyable` struct, because a descriptor travels through async calls and is held by several
/// answers at once while a file is being sent.
///
/// **Isolation:** immutable except for an atomic count; reads and writes are positional (`pread`, `pwrite`, `sendfile`).
package final class OwnedDescriptor: Sendable {
    /// The descriptor's number; valid while this object lives.
    package let raw: Int32
    /// The file's state when a store opened and verified it; nil for a descriptor that belongs to no store.
    package let state: FileState?
    private let whenBroken: (@Sendable (OwnedDescriptor, SystemError) -> Void)?
    /// The budgets that count the file's bytes while no cache counts them; nil for a file that no budget counts.
    package let held: HeldBytes?
    /// The budget of a file that was made without a name.
    private let budget: HeldBudget?
    /// Bytes of `budget` that this file has taken. Only the file's writer stores to it, and a file has one writer at a time.
    private let charged = Atomic<Int>(0)

    /// Takes over a descriptor that is open.
    package init(adopting raw: Int32) {
        self.raw = raw
        (state, whenBroken, held, budget) = (nil, nil, nil, nil)
    }

    /// Takes over a new file without a name. Its writer calls `grow` before it writes.
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
        // While the disk hangs, closing even a small unnamed file blocks, because freeing its blocks needs the journal.
        if max(bytes, state?.size ?? 0) >= ClosingThread.large || isOnHangingDisk,
            closingThread.take(raw, charged: bytes, to: budget)
        {
            return
        }
        close(raw)
        budget?.giveBack(bytes)
    }

    private var closingThread: ClosingThread { isInMemory ? .memory : .disk }

    /// True for a request's file in memory: no call to it waits for a disk. False for a file in memory that no budget counts.
    package var isInMemory: Bool { budget.map { $0 === held?.memory } ?? false }

    /// True if the file lies on a disk that hangs: reading a page that is not in the kernel's cache would block.
    package var isOnHangingDisk: Bool { !isInMemory && held?.isDiskHanging ?? false }

    /// True if the file is in the state that its store verified: not written to, not cut, and with all its
    /// names. One fstat(2). False without a store.
    package var isUnchanged: Bool { state.map { FileState(raw) == $0 } ?? false }

    /// True if the bytes may differ from those that the store verified; the loss of a name alone alters
    /// nothing. One fstat(2). False without a store.
    package var isAltered: Bool { state?.isAltered(in: raw) ?? false }

    /// Reports a failed or short read to the file's store; does nothing for a file that belongs to no store.
    package func cannotBeRead(_ error: SystemError) { whenBroken?(self, error) }
}

// MARK: The budget's bytes

extension OwnedDescriptor {
    /// Takes room for the file's first `length` bytes; does nothing for a file without a budget. Call it before the bytes are
    /// written.
    /// - Throws: `heldBytesSpent`.
    package func grow(to length: Int) throws(SystemError) {
        let before = charged.load(ordering: .relaxed)
        guard let budget, length > before else { return }
        try budget.take(from: before, to: length)
        charged.store(length, ordering: .relaxed)
    }

    /// Asks whether there is room for a file of `length` bytes, without taking it.
    /// - Throws: `heldBytesSpent`.
    package func refuse(_ length: Int) throws(SystemError) { try budget?.refuse(length) }

    /// Notes that the cache has given the file a name and counts its bytes from now on.
    package func takeName() {
        budget?.giveBack(charged.exchange(0, ordering: .relaxed))
        held?.watch(raw)
    }

    /// Bytes that the file takes of a budget that is more than half full; 0 if its budget is emptier, or if it has none. At most
    /// one fstat(2).
    package var crowdingBytes: Int {
        guard let held else { return 0 }
        let charged = charged.load(ordering: .relaxed)
        if charged > 0 { return budget?.isCrowded == true ? charged : 0 }
        guard held.disk.isCrowded, let state = FileState(raw), state.links == 0 else { return 0 }
        return state.size
    }
}
