// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import Origin
package import Stores
internal import Synchronization

/// Readiness for requests, as service managers and load balancers ask for it.
package enum Readiness: Sendable, Hashable {
    /// Ready; a remark is for operators.
    case ready(remark: String?)
    case notReady(String)
}

/// Finds out whether the daemon is ready.
///
/// **Isolation:** immutable but for two atomics.
package final class ReadinessCheck: Sendable {
    private let pool: DecoderPool
    private let inspectors: InspectorPool
    private let downloader: Downloader
    private let disk: DiskCache
    private let serves = Atomic<Bool>(false)
    private let leaves = Atomic<Bool>(false)

    /// Takes the parts that every rendition needs.
    package init(pool: DecoderPool, inspectors: InspectorPool, downloader: Downloader, disk: DiskCache) {
        self.pool = pool
        self.inspectors = inspectors
        self.downloader = downloader
        self.disk = disk
    }

    /// Notes that the public listener opens: from now on the daemon can be ready. The admin listener opens earlier, while a node
    /// of a fleet still carries out missed purges.
    package func begin() { serves.store(true, ordering: .relaxed) }

    /// Notes that the daemon is about to drain: from now on it is not ready.
    package func leave() { leaves.store(true, ordering: .relaxed) }

    /// Not ready before the public listener opens, while fetches, decoders or inspectors do not work, and from the announcement
    /// of a drain on. A disk in trouble is only a remark, because requests are still answered, and other nodes' disks may be full
    /// as well.
    package var readiness: Readiness {
        guard serves.load(ordering: .relaxed) else {
            return .notReady("it is starting: its public listener is not open yet")
        }
        if leaves.load(ordering: .relaxed) { return .notReady("it is about to drain") }
        if downloader.isStalled { return .notReady("the thread of all fetches stands still") }
        if pool.status.processes == 0 { return .notReady("no decoder process is running") }
        if inspectors.status.processes == 0 { return .notReady("no inspector process is running") }
        return .ready(remark: disk.health.words)
    }
}
