// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Synchronization

/// Loads the index into memory at start, on several threads that each read a range of the keys.
///
/// Keys are hashes, so ranges of equal size have about equally many rows.
struct IndexLoader: Sendable {
    let path: String
    let access: Database.Access
    let catalogue: Catalogue

    /// Returns once everything is in the catalogue; invalid rows are left out, and so are rows whose header must be read again.
    ///
    /// - Parameter limit: the most threads; there are never more than processors.
    /// - Throws: if the index cannot be read.
    func load(threads limit: Int) throws(SQLiteError) {
        let count = max(1, min(limit, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let failure = Mutex<SQLiteError?>(nil)
        try reserve()
        let bounds = (0...count).map { part in
            // The last range ends with a key that is longer than any real one.
            // Cannot trap: the value is less than 256.
            part < count ? [UInt8(256 * part / count)] : [UInt8](repeating: 0xFF, count: 33)
        }
        @Sendable func load(part: Int) {
            do throws(SQLiteError) {
                try self.load(from: bounds[part], to: bounds[part + 1], threads: count)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        // If a thread cannot be started, the calling thread loads its range.
        let threads = (1..<count).map { part in
            (part, try? WorkerThread("index-\(part)") { load(part: part) })
        }
        load(part: 0)
        for (part, thread) in threads {
            if let thread { thread.join() } else { load(part: part) }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Allocates the tables at their final size, estimated from a sixteenth of the keys.
    private func reserve() throws(SQLiteError) {
        let database = try Database(path: path, access)
        func estimate(_ table: String) throws(SQLiteError) -> Int {
            let sample = try database.integer("SELECT count(*) FROM \(table) WHERE key < x'10'") ?? 0
            return Int(sample) * 16
        }
        let (originals, renditions) = (try estimate("originals"), try estimate("renditions"))
        catalogue.names.reserve(originals)
        catalogue.originals.table.reserve(originals)
        catalogue.renditions.table.reserve(renditions)
    }

    /// - Parameter threads: how many threads load, which share the room for tags.
    private func load(from first: [UInt8], to last: [UInt8], threads: Int) throws(SQLiteError) {
        let database = try Database(path: path, access)
        // In a folder that cannot be written, or on a full disk, these rows still exist.
        let outdated = try IndexMigration.outdated(database) ?? "0"
        let unproven = try UnprovenRows.condition(database) ?? "0"
        let originals = try database.prepare(
            """
            SELECT key, digest, length, format, width, height, pages, orientation, traits, accessed, last_modified,
            response_time, initial_age, lifetime, client_lifetime, stale_while_revalidate, stale_if_error, flags, url,
            fields, \(TagStatements.isTagged) FROM originals
            WHERE key >= ?1 AND key < ?2 AND NOT (\(outdated) OR \(unproven))
            """)
        Self.bind(first, last, to: originals)
        var names = Batch<NameEntry> { catalogue.insert($0) }
        var files = Batch<FileEntry> { catalogue.originals.hold($0) }
        var newest = catalogue.newestLoaded
        var roomForTags = TagMemory.budget / max(1, threads)
        while try originals.step() {
            guard let name = originals.name(), let file = originals.file(keyColumn: 1) else { continue }
            files.add(file)
            names.add(name)
            if name.isTagged, roomForTags > 0 {
                roomForTags -= catalogue.tags.hold(originals.text(19), for: name.key, of: name.digest)
            }
            newest = max(newest, name.freshness.responseTime)
        }
        files.finish()
        names.finish()
        catalogue.noteLoaded(newest)
        let renditions = try database.prepare(
            """
            SELECT key, key, length, format, width, height, pages, 1, 0, accessed FROM renditions
            WHERE key >= ?1 AND key < ?2
            """)
        Self.bind(first, last, to: renditions)
        files = Batch<FileEntry> { catalogue.renditions.hold($0) }
        while try renditions.step() {
            if let file = renditions.file(keyColumn: 1) { files.add(file) }
        }
        files.finish()
    }

    private static func bind(_ first: [UInt8], _ last: [UInt8], to statement: borrowing Statement) {
        first.withUnsafeBytes { statement.bind(1, blob: $0) }
        last.withUnsafeBytes { statement.bind(2, blob: $0) }
    }

    /// Collects entries, so that the threads do not contend for a lock with each entry.
    private struct Batch<Entry> {
        private static var size: Int { 2_048 }

        private var entries: ContiguousArray<Entry> = []
        private let deliver: (ContiguousArray<Entry>) -> Void

        init(deliver: @escaping (ContiguousArray<Entry>) -> Void) {
            self.deliver = deliver
            entries.reserveCapacity(Self.size)
        }

        mutating func add(_ entry: Entry) {
            entries.append(entry)
            if entries.count == Self.size { finish() }
        }

        mutating func finish() {
            deliver(entries)
            entries.removeAll(keepingCapacity: true)
        }
    }
}
