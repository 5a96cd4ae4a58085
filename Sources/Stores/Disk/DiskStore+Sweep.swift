// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Kernel
internal import Pipeline
internal import Synchronization

extension DiskStore {
    /// Checks the index if that is due, and sweeps, on a separate thread; does nothing if a sweep is under way. The thread is
    /// needed because the check of a large index on a slow disk takes minutes, while calls of the caller's thread are watched
    /// (`DiskCache.lookForHangs`).
    ///
    /// - Parameter report: gets the result, on the sweep's thread.
    func startSweep(_ report: @escaping @Sendable (SweepReport) -> Void = { _ in }) {
        guard !isReadOnly, sweepProgress.state != .running else { return }
        sweepThread.withLock { thread in
            guard !isSweeping.exchange(true, ordering: .acquiring) else { return }
            thread?.join()
            // If the thread cannot be started, the folder stays unswept until the next start.
            thread = try? WorkerThread("sweep") {
                self.checkIndex()
                report(self.sweep())
                self.isSweeping.store(false, ordering: .releasing)
            }
            if thread == nil { isSweeping.store(false, ordering: .releasing) }
        }
    }

    /// The current sweep, or the last one.
    package var sweepProgress: SweepReport { sweepReport.withLock { $0 } }

    /// Compares files with rows and rows with files, with a pause after each slice; ends early when the store closes.
    ///
    /// Removes files without a row, which a crash leaves between a file's link and its row's commit, or between a row's removal
    /// and its file's. The table is read under the file's lock, so a file that is being kept never counts as an orphan. Only
    /// after the index was lost does a rendition's file get a row again, from its footer.
    package func sweep() -> SweepReport {
        sweepReport.withLock { $0 = SweepReport(state: .running) }
        counters.leftovers.store(0, ordering: .relaxed)
        let isComplete =
            sweepFiles(of: catalogue.originals) && sweepFiles(of: catalogue.renditions)
            && sweepNames() && sweepRenditions()
        if isComplete { adoptNoMore() }
        return sweepReport.withLock { report in
            report.state = isComplete ? .finished : .cancelled
            return report
        }
    }

    // MARK: Files without rows.

    /// From now on, files without a row count as orphans, even after a restart.
    func adoptNoMore() {
        if adopts.exchange(false, ordering: .relaxed) { queue.push(.noteSweep) }
    }

    private func sweepFiles(of partition: CachePartition) -> Bool {
        for folder in FilePath.folders {
            for name in partition.names(in: folder) {
                // An earlier layout had a second level of folders; no row refers to a file in them.
                if FilePath.folders.contains(name) { partition.removeFolder(name, in: folder) }
                guard let digest = Digest(hex: name), FilePath(digest).folder == folder else { continue }
                if partition.table[digest] == nil { handleOrphan(digest, on: partition) }
                guard goOn() else { return false }
            }
        }
        return true
    }

    private func handleOrphan(_ name: Digest, on partition: CachePartition) {
        if adopts.load(ordering: .relaxed), partition.kind == .rendition, adopt(name) {
            sweepReport.withLock { $0.adopted += 1 }
            return
        }
        switch partition.unlinkUnlessHeld(name) {
        case .removed: sweepReport.withLock { $0.orphans += 1 }
        // The file's folder may be read-only still, or again. Another sweep follows.
        case .failed: counters.add(counters.leftovers)
        case .held, .absent: break
        }
    }

    /// Makes an entry and a row from a rendition's footer. The file's first reader verifies the checksum.
    private func adopt(_ name: Digest) -> Bool {
        let partition = catalogue.renditions
        let moment = seconds
        return partition.withTurn(name) {
            guard partition.table[name] == nil, let file = try? partition.open(name),
                // A file that was written after the opening has lost its row because it was removed, not with the index.
                file.state.map({ $0.changed < folder.openingTime }) ?? false,
                let footer = FileIO.lastFooter(file.raw), footer.kind == .rendition
            else { return false }
            let header = ImageHeader(
                format: footer.format, width: Int(footer.width), height: Int(footer.height),
                pages: Int(footer.pages))
            let entry = FileEntry(
                key: name, length: footer.length, picture: CompactHeader(header), accessed: moment,
                recorded: moment)
            partition.hold(entry, sharing: false)
            partition.noteRow(of: name) {
                queue.push(.putRendition(Rendition(entry), of: nil, url: nil, accessed: moment))
            }
            return true
        }
    }

    // MARK: Rows without files.

    private func sweepNames() -> Bool {
        for name in catalogue.names.entries {
            let isThere = catalogue.originals.withTurn(name.digest) {
                catalogue.originals.table[name.digest].map { catalogue.originals.matches($0) } ?? false
            }
            if !isThere { noteDropped(remove(name.key, leadingTo: name.digest)) }
            guard goOn() else { return false }
        }
        return true
    }

    private func sweepRenditions() -> Bool {
        let partition = catalogue.renditions
        for snapshot in partition.table.entries {
            let isThere = partition.withTurn(snapshot.key) {
                partition.table[snapshot.key].map { partition.matches($0) } ?? true
            }
            if !isThere {
                noteDropped(removeRendition(snapshot.key))
            }
            guard goOn() else { return false }
        }
        return true
    }

    private func noteDropped(_ changes: [Change]) {
        sweepReport.withLock { $0.dropped += changes.count }
    }

    // MARK: The index itself.

    /// Checks the whole index if it was not closed properly; a failure makes `DiskCache` reopen the folder.
    func checkIndex() {
        guard !wasClean, IndexCheck.of(folder.indexPath) == .damaged else { return }
        hasFailedCheck.store(true, ordering: .relaxed)
    }

    // MARK: Pauses.

    /// Counts one file or entry, and pauses after each slice; false if the store closes.
    private func goOn() -> Bool {
        let checked = sweepReport.withLock { report in
            report.checked += 1
            return report.checked
        }
        guard checked % 512 == 0 else { return true }
        return !sweepStop.isSet(within: configuration.sweepPause)
    }
}
