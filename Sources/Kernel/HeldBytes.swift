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
/// An eviction cannot be refused, so evicted files count even beyond the limit; while they do, no new bytes are accepted.
///
/// **Isolation:** the budgets are atomic; each part of the named files' descriptors has a `Mutex`.
package final class HeldBytes: Sendable {
    /// Unnamed files in memory (memfd_create(2)).
    package let memory: HeldBudget
    /// Unnamed files in the cache's file system.
    package let disk: HeldBudget
    private let diskHangs = Atomic<Bool>(false)
    /// Open files that have a name in the cache, by descriptor. They are split over 16 locks, of which only one is held at a
    /// time.
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
            // Event loops open and close files: they must not wait for this lock while fstat(2) asks a file system on the
            // network.
            let files = part.descriptors.withLock(\.self).compactMap { descriptor in
                FileState(descriptor).flatMap { $0.links == 0 ? (descriptor, $0) : nil }
            }
            if files.isEmpty { continue }
            // A descriptor that was closed meanwhile may have been reused for a file that is counted elsewhere.
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

    /// Must be called before the descriptor is closed: afterwards another file may have the same number.
    func endWatch(_ descriptor: Int32) {
        _ = named[Int(descriptor) & 15].descriptors.withLock { $0.remove(descriptor) }
    }
}

/// Totals since the start, and present numbers. Every field is an `Int`, because `Readings` requires it.
package struct HeldStatistics: Sendable, Hashable {
    /// Bytes of files in memory now, and their limit.
    package var memoryBytes = 0
    package var memoryLimit = 0
    package var memoryRefusals = 0
    /// Bytes of files on the disk now, and their limit.
    package var diskBytes = 0
    package var diskLimit = 0
    package var diskRefusals = 0
}

extension SystemError {
    /// The error of a request for whose body the budget has no room (`HeldBytes`).
    package static let heldBytesSpent = SystemError("hold a body", code: EDQUOT)
}
