// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Descriptors that no client and no request may hold, so that the process always has one where it cannot go on without.
///
/// The kernel gives out the lowest number that is free (open(2)). A number of the reserve therefore tells that all
/// others are taken, and whoever got it for a request closes it again, as if the kernel had said EMFILE.
///
/// Without a reserve a crowd of clients ends the daemon: once a second libdispatch opens a file of /proc while tasks wait
/// for its threads, and traps if it cannot (`_dispatch_workq_monitor_pools`). A worker process that is started anew, the
/// index and the connections to Redis need descriptors too.
///
/// **Isolation:** an atomic number, of the whole process as RLIMIT_NOFILE is.
package enum ReservedDescriptors {
    private static let first = Atomic<Int32>(.max)

    /// From now on this number and all above are reserved. Before the first call none is.
    package static func begin(at number: Int) {
        first.store(Int32(clamping: number), ordering: .relaxed)
    }

    /// True for a number of the reserve.
    package static func contain(_ raw: Int32) -> Bool { raw >= first.load(ordering: .relaxed) }
}

extension OwnedDescriptor {
    /// The descriptor itself, for what a request holds.
    /// - Throws: EMFILE for one of the reserve, which is closed with its last reference.
    package func forRequest() throws(SystemError) -> OwnedDescriptor {
        guard !ReservedDescriptors.contain(raw) else { throw .reserved }
        return self
    }
}

extension SystemError {
    /// The error of a request that got a descriptor of the reserve.
    package static let reserved = SystemError("open", code: EMFILE)
}
