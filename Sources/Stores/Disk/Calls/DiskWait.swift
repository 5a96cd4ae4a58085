// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How long a request has waited for the disk, over all its calls. Each call alone may last up to `DiskConfiguration.patience` on a
/// disk that stalls again and again, so a request that has waited for that long goes on as if there were no cache on disk. A call
/// under way is not given up for that: a file that is kept too late must not be found by others (`DiskCache.keep`).
///
/// **Isolation:** an atomic. Work that several requests share counts for the first of them.
package final class DiskWait: Sendable {
    /// The wait of the request for which the task works; nil for work that is not limited.
    @TaskLocal package static var current: DiskWait?

    private let total = Atomic<Int>(0)

    package init() {}

    /// Milliseconds, as far as the looks at the disk show (`DiskCache.lookForHangs`).
    var milliseconds: Int { total.load(ordering: .relaxed) }

    func add(_ milliseconds: Int) { total.add(milliseconds, ordering: .relaxed) }
}
