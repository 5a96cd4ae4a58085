// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The bytes of files that no cache counts: files on their way into a cache, files that it does not keep, and files that it has
/// evicted while somebody still reads them. Each file counts until its last holder closes it, in memory or on the disk.
///
///     a fetch or a decoder writes     `OwnedDescriptor.grow` charges each byte before it is written
///     the cache links the file        `OwnedDescriptor.takeName` gives all back: from here the cache counts it
///     the cache evicts it             `lookAtNames` finds an open file without a name, once a second
///     the last holder closes it       what is charged is given back
///
/// An eviction cannot be refused, so what was evicted counts even beyond the limit; then nothing new is written.
///
/// **Isolation:** the budgets guard themselves; the numbers of named files lie in `Mutex`es of their own.
package final class HeldBytes: Sendable {
    /// Unnamed files in memory (memfd_create(2)).
    package let memory: HeldBudget
    /// Unnamed files in the cache's file system.
    package let disk: HeldBudget
    private let diskHangs = Atomic<Bool>(false)
    /// Open files of the cache, by their descriptor, in parts that are locked one at a time.
    private let named = (0..<16).map { _ in NamedFiles() }

    private final class NamedFiles: Sendable {
        let descriptors = Mutex<Set<Int32>>([])
    }

    /// Limits in bytes.
    package init(memory: Int = .max, disk: Int = .max) {
        self.memory = HeldBudget(limit: memory)
        self.disk = HeldBudget(limit: disk)
    }

    /// True while calls to the disk do not return.
    package var isDiskHanging: Bool { diskHangs.load(ordering: .relaxed) }

    /// Notes that the disk begins to hang, or answers again.
    package func noteDisk(hangs: Bool) { diskHangs.store(hangs, ordering: .relaxed) }

    /// Totals since the start, and present numbers.
    package var statistics: HeldStatistics {
        HeldStatistics(
            memoryBytes: memory.used, memoryLimit: memory.limit, memoryRefusals: memory.refusals,
            diskBytes: disk.used, diskLimit: disk.limit, diskRefusals: disk.refusals)
    }

    /// An empty file in memory, whose bytes count from now on.
    /// - Throws: `heldBytesSpent`; or if memfd_create(2) fails, or only the reserve has a descriptor.
    package func makeInMemory() throws(SystemError) -> OwnedDescriptor {
        try memory.refuseIfSpent()
        return try OwnedDescriptor(adopting: MemoryFile.create(), in: memory, of: self).forRequest()
    }

    /// Counts the files that lost their names while they are open. Called once a second, on a thread that may block.
    /// - Returns: their numbers (`FileState.number`).
    @discardableResult
    package func lookAtNames() -> Set<UInt64> {
        var lost: [UInt64: Int] = [:]
        for part in named {
            // Event loops open and close files: none is to wait while a network's file system is asked.
            let files = part.descriptors.withLock(\.self).compactMap { descriptor in
                FileState(descriptor).flatMap { $0.links == 0 ? (descriptor, $0) : nil }
            }
            if files.isEmpty { continue }
            // A number that was closed meanwhile may be of a file that others count.
            let open = part.descriptors.withLock(\.self)
            for (descriptor, state) in files where open.contains(descriptor) {
                lost[state.number] = state.size
            }
        }
        disk.setEvicted(lost.values.reduce(0, +))
        return Set(lost.keys)
    }

    func watch(_ descriptor: Int32) {
        _ = named[Int(descriptor) & 15].descriptors.withLock { $0.insert(descriptor) }
    }

    /// Must come before the descriptor is closed: its number may be another file's then.
    func endWatch(_ descriptor: Int32) {
        _ = named[Int(descriptor) & 15].descriptors.withLock { $0.remove(descriptor) }
    }
}

/// A number of bytes that may be held in one place.
///
/// A file may hold no more than it leaves free. So large ones are refused first, and small ones find room beside any number
/// of large ones.
///
/// **Isolation:** atomic numbers.
package final class HeldBudget: Sendable {
    /// Bytes.
    package let limit: Int
    private let charged = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Bytes that are held now.
    package var used: Int { charged.load(ordering: .relaxed) + evicted.load(ordering: .relaxed) }

    /// Files that were not made, or not written to their end, for want of room.
    package var refusals: Int { refused.load(ordering: .relaxed) }

    /// True beyond half of the limit: who reads has to hurry then.
    package var isCrowded: Bool { used > limit / 2 }

    /// The longest file that may be held now.
    private var longest: Int { max(0, limit - used) / 2 }

    /// - Throws: `heldBytesSpent` if not even a page may be held; counts a refusal then.
    package func refuseIfSpent() throws(SystemError) { try refuse(4_096) }

    /// Asks for room without taking it.
    /// - Throws: `heldBytesSpent` if there is none for a file so long; counts a refusal then.
    package func refuse(_ length: Int) throws(SystemError) {
        guard length > longest else { return }
        refused.add(1, ordering: .relaxed)
        throw .heldBytesSpent
    }

    /// Takes room for a file that grows.
    func take(from before: Int, to length: Int) throws(SystemError) {
        let more = length - before
        let after = charged.add(more, ordering: .relaxed).newValue
        let others = after - length + evicted.load(ordering: .relaxed)
        guard length > max(0, limit - others) / 2 else { return }
        charged.subtract(more, ordering: .relaxed)
        refused.add(1, ordering: .relaxed)
        throw .heldBytesSpent
    }

    func giveBack(_ bytes: Int) { charged.subtract(bytes, ordering: .relaxed) }

    func setEvicted(_ bytes: Int) { evicted.store(bytes, ordering: .relaxed) }
}

/// Totals since the start, and present numbers. All of them are `Int`, as `Readings` are.
package struct HeldStatistics: Sendable, Hashable {
    /// Now: bytes of files in memory, and how many there may be.
    package var memoryBytes = 0
    package var memoryLimit = 0
    package var memoryRefusals = 0
    /// Now: bytes of files on the disk, and how many there may be.
    package var diskBytes = 0
    package var diskLimit = 0
    package var diskRefusals = 0
}

extension SystemError {
    /// The error of a request whose body has no room among those that are held.
    package static let heldBytesSpent = SystemError("hold a body", code: EDQUOT)
}
