// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Pipeline
internal import Recipes
internal import Synchronization

/// Maintenance on the caller's thread, in slices with pauses between them, so that no request waits for it. It ends early when
/// the store closes.
extension DiskStore {
    /// Checks every file against its footer and its checksum, and removes those that fail. Blocks until it
    /// ends.
    ///
    /// - Parameter tell: called after each slice.
    package func verify(_ tell: (VerifyReport) -> Void) -> VerifyReport {
        var report = VerifyReport()
        report.total = catalogue.originals.table.count + catalogue.renditions.table.count
        tell(report)
        var slice = VerifySlice()
        for partition in [catalogue.originals, catalogue.renditions] {
            for entry in partition.table.entries {
                verify(entry, on: partition, &report)
                guard slice.isOver(after: entry.length) else { continue }
                tell(report)
                guard pause() else { return report }
            }
        }
        flush()
        tell(report)
        return report
    }

    private func verify(_ entry: FileEntry, on partition: CachePartition, _ report: inout VerifyReport) {
        report.checked += 1
        switch partition.openChecked(entry, anew: true) {
        case .open:
            report.bytes += entry.length
            return
        case .failed, .unreadable:
            report.skipped += 1
            return
        // The entry may also have been evicted or replaced since the table was read.
        case .absent, .damaged:
            guard let held = partition.table[entry.key], held.length == entry.length else { return }
        }
        if case .absent = partition.openChecked(entry, anew: true) {
            report.missing += 1
            counters.add(counters.vanished)
        } else {
            report.damaged += 1
            noteDamage(partition.kind, entry.key)
        }
        switch partition.kind {
        case .original: remove(OriginalDigest(entry.key))
        case .rendition: removeRendition(entry.key, length: entry.length)
        }
    }

    /// Starts the scrub on a separate thread, unless it is switched off or the file system verifies checksums itself.
    func startScrub() {
        guard !isReadOnly, configuration.scrubRate > 0, !folder.checksItself else { return }
        scrubThread.withLock { thread in
            guard thread == nil else { return }
            // If the thread cannot be started, files are only verified when clients request them.
            thread = try? WorkerThread("scrub") { self.scrub() }
        }
    }

    /// Scrubbing: verifies all files again and again, at a limited rate, until the store closes. It finds bodies that a failing
    /// disk has changed before a client requests them, even bodies whose files stay open.
    func scrub() {
        var limiter = ScrubLimiter(rate: configuration.scrubRate, leastPause: configuration.sweepPause)
        while true {
            var report = VerifyReport()
            let began = Self.monotonicSeconds
            for partition in [catalogue.originals, catalogue.renditions] {
                for entry in partition.table.entries {
                    verify(entry, on: partition, &report)
                    let milliseconds = limiter.pause(after: entry.size)
                    guard milliseconds == 0 || pause(atLeast: milliseconds) else { return }
                }
            }
            let left = configuration.scrubInterval - (Self.monotonicSeconds - began)
            guard pause(atLeast: max(left, 0) * 1_000) else { return }
        }
    }

    private static var monotonicSeconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }

    /// Evicts to the low water, compares files with rows, and compacts the index. Blocks until it ends; calls
    /// `tell` at each step.
    package func collect(_ tell: (CollectReport) -> Void) -> CollectReport {
        var report = CollectReport()
        report.indexBytesBefore = folder.indexBytes
        tell(report)
        let evictedBefore = counters.evicted.load(ordering: .relaxed)
        queue.order(.shrink)
        flush()
        report.evicted = counters.evicted.load(ordering: .relaxed) - evictedBefore
        report.stage = .sweeping
        tell(report)
        sweep(for: &report)
        report.stage = .compacting
        tell(report)
        queue.order(.compact)
        report.indexBytesAfter = folder.indexBytes
        report.stage = .done
        tell(report)
        return report
    }

    /// Sweeps, once the sweep of the start has ended.
    private func sweep(for report: inout CollectReport) {
        while sweepProgress.state == .running { guard pause(atLeast: 50) else { return } }
        let found = sweep()
        report.checked = found.checked
        report.orphans = found.orphans
        report.dropped = found.dropped
    }

    /// Pauses; false if the store closes.
    private func pause(atLeast milliseconds: Int = 0) -> Bool {
        !sweepStop.isSet(within: max(configuration.sweepPause, milliseconds))
    }

    /// Bytes of the index and its write-ahead log.
    package var indexBytes: Int { folder.indexBytes }
}

/// How much a verification does between two pauses.
private struct VerifySlice {
    /// With the usual pauses, at most 2,560 files or 160 MB per second.
    private static let whole = (files: 64, bytes: 4 << 20)

    private var done = (files: 0, bytes: 0)

    mutating func isOver(after bytes: Int) -> Bool {
        done = (done.files + 1, done.bytes + bytes)
        guard done.files >= Self.whole.files || done.bytes >= Self.whole.bytes else { return false }
        done = (0, 0)
        return true
    }
}
