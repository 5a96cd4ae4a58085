// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics
package import Kernel
package import SourceURLs
internal import Synchronization

/// The disk cache: originals and renditions as files, their metadata in memory, and an SQLite index behind it
/// that survives a restart.
///
///     <folder>/lock                               held while a store is open
///     <folder>/index.sqlite                       rows, see IndexDatabase
///     <folder>/originals/ab/<64 digits>           body and footer, see Footer; named by the SHA-256 of the body
///     <folder>/renditions/ab/<64 digits>          named by the rendition's key
///     <folder>/incoming/                          files on their way; emptied at start
///
/// An entry (three originals to seven renditions) costs 320 bytes of index and 122 of memory, see Benchmarks/disk.py.
///
/// Losing any of these costs only time, so files are not flushed one by one. Instead, no body is served before its checksum was
/// verified once since the process started, and again after its file was touched; that covers power cuts, failing disks and other
/// processes. A file that fails is a miss, is removed, and is counted.
///
/// A store is one opened folder. It survives troubles that can pass without reopening the folder (a full disk, a lost permission, a
/// foreign lock on the index); `DiskCache` handles the others.
///
/// `original`, `tagsAtHand`, `rendition`, `openCachedRendition`, `refreshOriginal` and the `forget…` calls touch memory only.
/// `makeFile`, `open…`, `keep…`, `noteDoubt`, `cachingFields`, `purge…`, `list`, `verify`, `collect`, `flush` and `close` block on
/// the disk: never call them on an event loop, and call them from async code through `perform`; or through `performOrder`, if they wait
/// for the index's writer, as purges, counts, `list`, `settles` and `flush` do.
///
/// **Isolation:** its parts have locks of their own; all calls may come from any thread. `close` comes last.
package final class DiskStore: Sendable {
    /// Seconds by which an access time on the disk may lag behind.
    static let accessPrecision: UInt32 = 3_600

    /// The path of an unusable index that was moved away at opening; nil for none.
    let setAside: String?
    /// True after the index was lost, until a sweep has ended or a hard purge has come. Meanwhile files without a row may be
    /// older than the index, so the sweep gives renditions' files a row again instead of removing them.
    let adopts: Atomic<Bool>
    /// True if the last store on the folder was closed properly.
    let wasClean: Bool
    /// Originals that were forgotten at the opening (or are left out while the folder cannot be written), because the last process
    /// was killed before their answers were proved.
    package let unproven: [OriginalKey]
    /// True once the check of an index that was not closed properly has failed.
    let hasFailedCheck = Atomic<Bool>(false)

    let catalogue: Catalogue
    let queue: ChangeQueue
    let pending = PendingFields()
    let counters: DiskCounters
    let folder: CacheFolder
    let configuration: DiskConfiguration
    let now: @Sendable () -> Timestamp
    let released: @Sendable (ReleasedFiles) -> Void
    let sweepReport = Mutex(SweepReport())
    let sweepStop = Monitor(false)
    let indexFiles: [PathIdentity]
    /// How other connections than the writer's read the index.
    let readAccess: Database.Access
    private let losses: FileLosses
    private let reader: Mutex<FieldsReader>
    let threads: DiskThreads
    let orderThreads: DiskThreads
    /// Threads for `performOrder`. Two are enough, because one commit of the index's writer serves all callers that wait for it.
    private static let orders = 2
    /// Nil in a read-only folder.
    let writer: (thread: WorkerThread, writer: IndexWriter)?
    /// The number of the writer's commits at the last fdatasync(2); −1 before the first. The lock is held during that call, which
    /// only the threads of `performOrder` make.
    let settledCommits = Mutex(-1)
    /// Watches the fdatasync(2) call.
    let settling = Mutex(CallWatch())
    let sweepThread = Mutex<WorkerThread?>(nil)
    /// True from before the sweep's thread begins until its last step.
    let isSweeping = Atomic<Bool>(false)
    let scrubThread = Mutex<WorkerThread?>(nil)

    /// Opens or makes the folder and loads the index: less than 0.9 s of CPU per million rows, on up to four
    /// threads.
    ///
    /// A damaged or foreign index is renamed to `index.sqlite.damaged` and a new one is started; the next
    /// sweep recovers the renditions. A folder that cannot be written to, or an index that is locked, is
    /// opened read-only: its files are served, and nothing is kept.
    ///
    /// - Parameters:
    ///   - settingAside: true if the index is known to be damaged.
    ///   - now: the wall clock, for access times.
    ///   - released: gets the files that must not stay open; it is called on any thread and must not block.
    /// - Throws: if not even reading the folder is possible.
    convenience init(
        _ configuration: DiskConfiguration, settingAside: Bool = false,
        counters: DiskCounters = DiskCounters(),
        now: @escaping @Sendable () -> Timestamp,
        released: @escaping @Sendable (ReleasedFiles) -> Void = { _ in }
    ) throws(DiskStoreError) {
        let opened: OpenedFolder
        do throws(DiskStoreError) {
            opened = try OpenedFolder(writing: configuration, settingAside: settingAside)
        } catch {
            switch error {
            case .inUse, .replaced, .threads: throw error
            case .folder, .index:
                guard let readOnly = try? OpenedFolder(reading: configuration, because: error) else {
                    throw error
                }
                opened = readOnly
            }
        }
        try self.init(opened, configuration, counters, now: now, released: released)
    }

    private init(
        _ opened: consuming OpenedFolder, _ configuration: DiskConfiguration, _ counters: DiskCounters,
        now: @escaping @Sendable () -> Timestamp, released: @escaping @Sendable (ReleasedFiles) -> Void
    ) throws(DiskStoreError) {
        self.configuration = configuration
        self.counters = counters
        self.now = now
        self.released = released
        folder = opened.folder
        catalogue = opened.catalogue
        losses = opened.losses
        setAside = opened.setAside
        adopts = Atomic(opened.adopts)
        wasClean = opened.wasClean
        unproven = opened.unproven
        indexFiles = CacheFolder.indexSuffixes.compactMap { [folder] in PathIdentity(folder.indexPath + $0) }
        queue = ChangeQueue(interval: configuration.commitInterval)
        readAccess = opened.readAccess
        reader = Mutex(FieldsReader(path: folder.indexPath, readAccess))
        counters.beginAnew()
        let threads = try Self.threads(configuration)
        (self.threads, orderThreads) = threads
        if let database = opened.takeDatabase() {
            do throws(DiskStoreError) {
                writer = try Self.startWriter(
                    of: database, catalogue,
                    .init(folder: folder, queue: queue, pending: pending, counters: counters),
                    configuration, now: now, released: released)
            } catch {
                threads.work.close()
                threads.orders.close()
                throw error
            }
        } else {
            writer = nil
        }
        if writer == nil {
            queue.end()
            counters.filesTried(opened.obstacle)
        }
        losses.listen { [weak self] in self?.lose($0) }
    }

    /// Starts the index's writer on a thread of its own.
    private static func startWriter(
        of database: consuming IndexDatabase, _ catalogue: Catalogue, _ shared: IndexWriter.Shared,
        _ configuration: DiskConfiguration, now: @escaping @Sendable () -> Timestamp,
        released: @escaping @Sendable (ReleasedFiles) -> Void
    ) throws(DiskStoreError) -> (thread: WorkerThread, writer: IndexWriter) {
        let evictor = Evictor(
            catalogue, high: configuration.highWater, low: configuration.lowWater, seed: configuration.seed)
        let writer = IndexWriter(
            database, evictor: evictor, shared, released: released,
            moment: { UInt32(clamping: now().seconds) }, isInDoubt: configuration.isInDoubt)
        do throws(SystemError) {
            return (try WorkerThread("index") { writer.run() }, writer)
        } catch {
            throw .threads(error)
        }
    }

    /// Starts both pools of threads, or neither.
    private static func threads(
        _ configuration: DiskConfiguration
    ) throws(DiskStoreError) -> (work: DiskThreads, orders: DiskThreads) {
        do throws(SystemError) {
            let work = try DiskThreads(count: configuration.threads)
            do throws(SystemError) {
                return (work, try DiskThreads(count: Self.orders, name: "disk-orders"))
            } catch {
                work.close()
                throw error
            }
        } catch {
            throw .threads(error)
        }
    }

    /// An empty file without a name, open for reading and writing, for a body that may be kept later.
    /// - Throws: if too many bytes are held, or not even memory has room.
    package func makeFile() throws(SystemError) -> OwnedDescriptor { try folder.makeFile() }

    /// Waits until all earlier changes are in the index, the files that they released are removed, and each
    /// partition is within its budget.
    package func flush() { queue.flush(forRoom: true) }

    /// As `flush`, but if an eviction is under way, only waits for its present slice.
    func commit() { queue.flush(forRoom: false) }

    /// Stops the sweep and the scrub, finishes the jobs of `perform` and `performOrder`, writes the changes that are still in
    /// memory, and unlocks the folder. Must be called once; later changes are not written.
    package func close() {
        sweepStop.set()
        sweepThread.withLock { $0.take() }?.join()
        scrubThread.withLock { $0.take() }?.join()
        losses.listen(nil)
        threads.close()
        orderThreads.close()
        // It closes before the writer's connection, which is then the last and removes the WAL.
        reader.withLock { $0.close() }
        queue.close()
        writer?.thread.join()
        folder.unlock()
    }

    // MARK: Shared by originals and renditions.

    /// Seconds since 1970.
    var seconds: UInt32 { UInt32(clamping: now().seconds) }

    func readFields(_ key: NameKey, of digest: Digest) -> String {
        reader.withLock { $0.fields(of: key, digest) }
    }
}
