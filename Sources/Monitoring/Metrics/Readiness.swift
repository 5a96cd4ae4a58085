// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import Origin
package import Stores
internal import Synchronization

/// Readiness for requests, for the service manager and load balancers.
package enum Readiness: Sendable, Hashable {
    /// Ready; the remark, if any, is for operators.
    case ready(remark: String?)
    case notReady(String)
}

/// Finds out whether the daemon is ready.
///
/// **Isolation:** immutable but for one atomic.
package final class ReadinessCheck: Sendable {
    private let pool: DecoderPool
    private let inspectors: InspectorPool
    private let downloader: Downloader
    private let disk: DiskCache
    private let leaves = Atomic<Bool>(false)

    /// Takes the parts without which there are no pictures.
    package init(pool: DecoderPool, inspectors: InspectorPool, downloader: Downloader, disk: DiskCache) {
        self.pool = pool
        self.inspectors = inspectors
        self.downloader = downloader
        self.disk = disk
    }

    /// From now on it is not ready: it is about to drain.
    package func leave() { leaves.store(true, ordering: .relaxed) }

    /// Not ready without fetches, decoders or inspectors, or before a drain. A disk in trouble is only a remark: all
    /// requests are still answered, and other nodes' disks may be full as well.
    package var readiness: Readiness {
        if leaves.load(ordering: .relaxed) { return .notReady("it is about to drain") }
        if downloader.isStalled { return .notReady("the thread of all fetches stands still") }
        if pool.status.processes == 0 { return .notReady("no decoder process is running") }
        if inspectors.status.processes == 0 { return .notReady("no inspector process is running") }
        return .ready(remark: disk.health.words)
    }
}
