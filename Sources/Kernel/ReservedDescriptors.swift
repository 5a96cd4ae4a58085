// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Descriptors that no client and no request may hold, so that the process always has one for what it cannot do without.
///
/// The kernel gives out the lowest number that is free (open(2)). So a number within the reserve shows that all lower numbers are
/// taken. Code that got such a descriptor for a request closes it and fails, as if the kernel had answered EMFILE.
///
/// Without a reserve a crowd of clients ends the daemon: once a second libdispatch opens a file of /proc while tasks wait for its
/// threads, and traps if it cannot (`_dispatch_workq_monitor_pools`). Restarted worker processes, the index and the connections
/// to Redis need descriptors, too.
///
/// **Isolation:** one atomic number for the whole process, because RLIMIT_NOFILE is per process.
package enum ReservedDescriptors {
    private static let first = Atomic<Int32>(.max)

    /// Reserves this number and all higher ones. Before the first call no number is reserved.
    package static func begin(at number: Int) {
        first.store(Int32(clamping: number), ordering: .relaxed)
    }

    /// True if the number is in the reserve.
    package static func contain(_ raw: Int32) -> Bool { raw >= first.load(ordering: .relaxed) }
}

extension OwnedDescriptor {
    /// Returns this descriptor for use by a request.
    /// - Throws: EMFILE if its number is in the reserve; the descriptor is closed with its last reference.
    package func forRequest() throws(SystemError) -> OwnedDescriptor {
        guard !ReservedDescriptors.contain(raw) else { throw .reserved }
        return self
    }
}

extension SystemError {
    /// The error of a request that got a reserved descriptor.
    package static let reserved = SystemError("open", code: EMFILE)
}
