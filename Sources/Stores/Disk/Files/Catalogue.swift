// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import Synchronization

/// The in-memory tables of the disk cache, which are authoritative while it is open.
///
/// A name (URL) refers to an original's file by its digest; several names may share a file. Each removal changes the tables and
/// returns the row changes that must follow: the writer commits these, and then removes files without references. Row changes of a
/// name or a rendition are queued under its lock, so they are written in the order of its changes: at the end the index has a row
/// for each entry that is held, and for no other.
///
/// **Isolation:** the tables have locks of their own; `variants` is atomic, and changes under the lock of the name. Order of
/// locks: a turn, a name, then a file.
final class Catalogue: Sendable {
    let names = EntryTable<NameEntry>()
    let tags = TagMemory()
    let originals: CachePartition
    let renditions: CachePartition
    private let variants = Atomic<Int>(0)
    /// Milliseconds since 1970; see `DiskStore.newestAtOpening`.
    private let newest = Atomic<Int64>(0)
    /// The most bytes that the file system has refused at once since the evictor last looked.
    private let refused = Atomic<Int>(0)
    /// How often room was made for refused files since the file system last took one.
    private let roomsInVain = Atomic<Int>(0)
    /// When room was last made; seconds since 1970.
    private let roomMade = Atomic<UInt32>(0)

    init(originals: CachePartition, renditions: CachePartition) {
        self.originals = originals
        self.renditions = renditions
    }

    /// Bytes that the files occupy, including those charged for URLs that share a file or have a long row (`NameEntry`).
    var bytes: Int { originals.bytes + renditions.bytes }

    /// True if any name is a variant's.
    var hasVariants: Bool { variants.load(ordering: .relaxed) > 0 }

    /// The arrival of the newest response that was loaded from the index; 1970 if there are none.
    var newestLoaded: Timestamp { Timestamp(milliseconds: newest.load(ordering: .relaxed)) }

    /// Notes the arrival of a response that was loaded.
    func noteLoaded(_ time: Timestamp) { newest.max(time.milliseconds, ordering: .relaxed) }

    /// The number of files, which is their number of inodes.
    var fileCount: Int { originals.table.count + renditions.table.count }

    /// Asks the evictor for room on the file system, which has refused so many bytes: a file, or rows of the index.
    ///
    /// At most half of all files leave for that, so a larger file is passed over. Otherwise it would hide the smaller ones, and use
    /// up their attempts.
    func noteRefused(_ size: Int) {
        guard size <= bytes / 2 else { return }
        refused.max(size, ordering: .relaxed)
    }

    /// True if the evictor must make room on the file system.
    var isRoomWanted: Bool { refused.load(ordering: .relaxed) > 0 }

    /// Notes that the file system has taken a file. A commit of the index is not noted, because it may need no room.
    func noteTaken() { roomsInVain.store(0, ordering: .relaxed) }

    /// Takes the number of bytes to make room for on the file system, and resets it. If making room did not help several times,
    /// because snapshots keep the deleted files or other programs take the room, the answer is 0 except once a minute; otherwise
    /// the cache would give up everything.
    func takeRefused(at seconds: UInt32) -> Int {
        let size = refused.exchange(0, ordering: .relaxed)
        guard size > 0 else { return 0 }
        let rooms = roomsInVain.load(ordering: .relaxed)
        let pause = seconds &- roomMade.load(ordering: .relaxed)
        guard rooms < Self.mostRoomsInVain || pause >= 60 else { return 0 }
        // Cannot trap: the number grows at most once a minute.
        roomsInVain.store(rooms + 1, ordering: .relaxed)
        roomMade.store(seconds, ordering: .relaxed)
        return size
    }

    private static let mostRoomsInVain = 8

    func partition(_ kind: Footer.Kind) -> CachePartition { kind == .original ? originals : renditions }

    /// Makes the name refer to a file that was just entered for it. Must be called under the file's lock.
    ///
    /// - Parameter note: queues the row, before another change of the name can be queued; must not wait. It gets the file to
    ///   which the name referred before; nil if that is the same, or if there was none.
    func put(_ entry: NameEntry, note: (_ released: Change.File?) -> Void) {
        names.update(entry.key) { held in
            let before = held?.digest
            if before == nil, entry.isVariant { count(variants: 1) }
            originals.charge(Int(entry.excess) - Int(held?.excess ?? 0))
            held = entry
            if let before { originals.release(before) }
            note(
                before.flatMap { $0 == entry.digest ? nil : Change.File(kind: .original, name: $0) })
        }
    }

    /// Enters many names at start.
    func insert(_ batch: ContiguousArray<NameEntry>) {
        var added = batch.count { $0.isVariant }
        var excess = batch.reduce(0) { $0 + Int($1.excess) }
        names.insert(batch) { held, new in
            if new.isVariant { added -= 1 }
            excess -= Int(held.excess)
            return new
        }
        count(variants: added)
        originals.charge(excess)
    }

    /// Takes over the origin's new fields for a name whose bytes are unchanged. Does nothing if the name is not held, or refers to
    /// other bytes by now.
    /// - Parameter note: queues the row, before another change of the name can be queued; must not wait.
    func refresh(
        _ key: NameKey, of digest: Digest, _ freshness: Freshness, lastModified: Timestamp?, isTagged: Bool,
        excess: UInt32, note: () -> Void
    ) {
        names.update(key) { entry in
            guard let held = entry, held.digest == digest else { return }
            entry?.freshness = freshness
            entry?.lastModified = lastModified
            entry?.isTagged = isTagged
            entry?.excess = excess
            originals.charge(Int(excess) - Int(held.excess))
            note()
        }
    }

    /// Ends the lifetimes of a name's answer; false if the name is not held.
    /// - Parameter note: queues the row, before another change of the name can be queued: after the row of a newer answer, it would
    ///   end that answer's lifetimes. Must not wait. It is not called for a name that has expired already, because a fleet may
    ///   repeat an order many times.
    func expire(_ key: NameKey, _ expired: (Freshness) -> Freshness, note: (Freshness) -> Void) -> Bool {
        names.update(key) { entry in
            guard let held = entry?.freshness else { return false }
            let freshness = expired(held)
            entry?.freshness = freshness
            if freshness != held { note(freshness) }
            return true
        }
    }

    private func count(variants change: Int) { variants.add(change, ordering: .relaxed) }

    /// Removes a name; with `digest`, only if the name still refers to that file.
    /// - Parameter note: queues the change, before another change of the name can be queued; must not wait. The evictor does not
    ///   queue: it belongs to the writer, which writes the change at once and drops a row of that name that still waits.
    func removeName(
        _ key: NameKey, leadingTo digest: Digest? = nil, note: (Change) -> Void
    ) -> [Change] {
        names.update(key) { held -> [Change] in
            guard let entry = held, digest == nil || entry.digest == digest else { return [] }
            held = nil
            if entry.isVariant { count(variants: -1) }
            if entry.isTagged { tags.forget(key) }
            originals.charge(-Int(entry.excess))
            originals.release(entry.digest)
            let change = Change(
                .deleteOriginal(key), releasing: Change.File(kind: .original, name: entry.digest))
            note(change)
            return [change]
        }
    }

    /// Removes a file with all names that refer to it.
    ///
    /// - Parameters:
    ///   - name: one of the names, if it is known; mostly there is no other. Others are found by a scan of all names, 12 ms for a
    ///     million.
    ///   - note: as in `removeName`.
    func removeOriginal(
        _ digest: Digest, namedBy name: NameKey? = nil, note: (Change) -> Void
    ) -> [Change] {
        let known = name.map { removeName($0, leadingTo: digest, note: note) } ?? []
        // The file has gone with its last name.
        if !known.isEmpty, originals.table[digest] == nil { return known }
        let others = names.entries.filter { $0.digest == digest }
        return known + others.flatMap { removeName($0.key, leadingTo: digest, note: note) }
    }

    /// Removes a rendition; with `length`, only if it still has that length.
    /// - Parameter note: as in `removeName`.
    func removeRendition(_ key: Digest, length: Int? = nil, note: (Change) -> Void) -> [Change] {
        let change = Change(.deleteRendition(key), releasing: Change.File(kind: .rendition, name: key))
        return renditions.release(key, ofLength: length) { note(change) } ? [change] : []
    }
}
