// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics
internal import ImageModel
package import Kernel
internal import Synchronization

/// The far shelf: originals and renditions as files, what is known of them in memory, and behind that an index in
/// SQLite that survives a restart.
///
///     <folder>/lock                               held while a store is open
///     <folder>/index.sqlite                       rows, see IndexDatabase
///     <folder>/originals/ab/cd/<64 digits>        body and footer, see Footer; named by the SHA-256 of the body
///     <folder>/renditions/ab/cd/<64 digits>       named by the rendition's key
///     <folder>/incoming/                          on their way; emptied at start
///
/// Everything here is a cache: losing any of it costs time and nothing else. So nothing is flushed file by file;
/// instead no body leaves before its checksum was right once since the start of the process, which covers power
/// cuts, failing disks and other people's hands alike. What does not match is a miss, is removed, and is counted.
///
/// `original`, `rendition`, `refreshOriginal` and the `forget…` calls only touch memory. `makeFile`, `open…`,
/// `keep…`, `cachingFields`, `purge…`, `list`, `verify`, `collect`, `flush` and `close` wait for the disk: never call them on an event loop, and
/// call them from async code by way of `perform`.
///
/// **Isolation:** its parts guard themselves; all calls may come from any thread. `close` comes last.
package final class DiskStore: Sendable {
    /// Seconds by which an access time on disk may be late.
    static let accessPrecision: UInt32 = 3_600

    /// Where the index that could not be used is now, if that happened when the store was opened.
    package let setAside: String?

    let catalogue: Catalogue
    let queue: ChangeQueue
    let pending = PendingFields()
    let counters = DiskCounters()
    let folder: CacheFolder
    let configuration: DiskConfiguration
    let now: @Sendable () -> Timestamp
    let sweepReport = Mutex(SweepReport())
    let sweepStop = Monitor(false)
    private let reader: Mutex<FieldsReader>
    private let threads: DiskThreads
    private let writerThread: WorkerThread
    private let sweepThread = Mutex<WorkerThread?>(nil)

    /// Opens or makes the folder and reads the index: about 0.5 s per million rows.
    ///
    /// A damaged or foreign index is renamed to `index.sqlite.damaged` and a new one started; the next sweep finds
    /// the renditions again. `now` is asked for access times.
    package init(_ configuration: DiskConfiguration, now: @escaping @Sendable () -> Timestamp)
        throws(DiskStoreError)
    {
        folder = try CacheFolder(configuration)
        let opened = try Self.openIndex(folder, configuration)
        catalogue = opened.catalogue
        setAside = opened.setAside
        queue = ChangeQueue(interval: configuration.commitInterval)
        reader = Mutex(FieldsReader(path: folder.indexPath))
        let evictor = Evictor(
            catalogue, high: configuration.highWater, low: configuration.lowWater, seed: configuration.seed)
        let writer = IndexWriter(
            opened.database, evictor: evictor, queue: queue, pending: pending, counters: counters)
        do throws(SystemError) {
            threads = try DiskThreads(count: configuration.threads)
            writerThread = try WorkerThread("index") { writer.run() }
        } catch {
            throw .threads(error)
        }
        self.configuration = configuration
        self.now = now
    }

    /// An empty file without a name, open for reading and writing: for a body that may be kept later.
    package func makeFile() throws(SystemError) -> OwnedDescriptor { try folder.makeFile() }

    /// Runs a call that may wait for the disk on one of the store's threads.
    package func perform<Result: Sendable>(_ work: @escaping @Sendable (DiskStore) -> Result) async -> Result
    {
        await withCheckedContinuation { continuation in
            threads.run { continuation.resume(returning: work(self)) }
        }
    }

    /// Waits until all changes so far are in the index, the files that they released are gone, and what was over a
    /// budget has left.
    package func flush() { queue.flush() }

    /// Stops the sweep, finishes the jobs given to `perform`, writes what is still in memory, and lets the folder go.
    /// To be called once; what changes afterwards is not written.
    package func close() {
        sweepStop.withLock { $0 = true }
        sweepStop.wakeAll()
        sweepThread.withLock { $0.take() }?.join()
        threads.close()
        // Before the writer's connection, which then is the last and clears the WAL away.
        reader.withLock { $0.close() }
        queue.close()
        writerThread.join()
        folder.unlock()
    }

    /// Sweeps on a thread of its own; once.
    ///
    /// - Parameter report: what it found; on the sweep's own thread.
    package func startSweep(_ report: @escaping @Sendable (SweepReport) -> Void = { _ in }) {
        sweepThread.withLock { thread in
            // Without a thread the folder stays unswept until the next start.
            if thread == nil { thread = try? WorkerThread("sweep") { report(self.sweep()) } }
        }
    }

    package var health: DiskHealth { counters.health }

    package var sweepProgress: SweepReport { sweepReport.withLock { $0 } }

    package var statistics: DiskStatistics {
        DiskStatistics(
            originals: catalogue.names.count, originalFiles: catalogue.originals.table.count,
            originalBytes: catalogue.originals.bytes, renditions: catalogue.renditions.table.count,
            renditionBytes: catalogue.renditions.bytes, evicted: counters.evicted.load(ordering: .relaxed),
            damaged: counters.damaged.load(ordering: .relaxed),
            vanished: counters.vanished.load(ordering: .relaxed),
            writeErrors: counters.writeErrors.load(ordering: .relaxed),
            skipped: counters.skipped.load(ordering: .relaxed),
            indexErrors: counters.indexErrors.load(ordering: .relaxed))
    }

    // MARK: What both kinds need.

    /// Seconds since 1970.
    var seconds: UInt32 { UInt32(clamping: now().seconds) }

    func readFields(_ key: NameKey) -> String { reader.withLock { $0.fields(of: key) } }

    /// Puts a file in its place and counts it in, if there is room; false: it is not kept.
    ///
    /// `after` runs in the file's turn, once it is held.
    func keep(_ entry: FileEntry, _ body: Body, _ footer: Footer, on shelf: FileShelf, after: () -> Void)
        -> Bool
    {
        guard shelf.bytes + entry.size <= shelf.budget, !queue.isFull else {
            counters.add(counters.skipped)
            return false
        }
        guard folder.hasRoom else {
            counters.filesWritten(SystemError("the disk is nearly full", code: ENOSPC))
            return false
        }
        guard body.length == entry.length else {
            counters.filesWritten(SystemError("the body is not as long as was said", code: EINVAL))
            return false
        }
        return shelf.withTurn(entry.key) {
            do throws(SystemError) {
                try shelf.place(body, footer, as: entry.key)
            } catch {
                counters.filesWritten(error)
                return false
            }
            counters.filesWritten(nil)
            shelf.hold(entry, sharing: shelf.kind == .original)
            after()
            return true
        }
    }

    /// The body to go on with once it is kept: a file is opened anew, for reading only, so that whoever gets the
    /// descriptor (a decoder) cannot change what is on the shelf.
    func settled(_ body: Body, as name: Digest, on shelf: FileShelf) -> Body {
        guard case .file(_, let length) = body, let file = try? shelf.open(name) else { return body }
        return .file(file, length: length)
    }

    private static func openIndex(_ folder: CacheFolder, _ configuration: DiskConfiguration)
        throws(DiskStoreError) -> OpenedIndex
    {
        do throws(IndexDatabase.Unusable) {
            return try OpenedIndex(folder, configuration, setAside: nil)
        } catch {
            if case .failing(let error) = error { throw .index(error.description) }
        }
        let aside = folder.indexPath + ".damaged"
        for suffix in ["", "-wal", "-shm"] { rename(folder.indexPath + suffix, aside + suffix) }
        do throws(IndexDatabase.Unusable) {
            return try OpenedIndex(folder, configuration, setAside: aside)
        } catch {
            throw .index("a new one cannot be made in place of \(aside): \(error)")
        }
    }

    private struct OpenedIndex: ~Copyable {
        let database: IndexDatabase
        let catalogue: Catalogue
        let setAside: String?

        init(_ folder: CacheFolder, _ configuration: DiskConfiguration, setAside: String?)
            throws(IndexDatabase.Unusable)
        {
            catalogue = Catalogue(
                originals: FileShelf(.original, in: folder, budget: configuration.originalsBudget),
                renditions: FileShelf(.rendition, in: folder, budget: configuration.renditionsBudget))
            database = try IndexDatabase(path: folder.indexPath, loadingInto: catalogue)
            self.setAside = setAside
        }
    }
}
