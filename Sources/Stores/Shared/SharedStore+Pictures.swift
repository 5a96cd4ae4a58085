// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import HTTPCaching
internal import HTTPSemantics
package import Kernel
package import Pipeline
package import Recipes
package import SourceURLs

extension SharedStore {
    /// The number of entries that are deleted at a time.
    private static let slice = 100

    // MARK: Reading

    /// The store's original of a URL; absent if this node has purged it. If this node has purged it softly, it is stale.
    package func lookUp(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>> {
        do throws(StoreSilence) {
            return try await original(of: key).map { .found($0) } ?? .absent
        } catch {
            return .silent
        }
    }

    private func original(of key: OriginalKey) async throws(StoreSilence) -> SharedAnswer<Body>? {
        guard configuration.originals else { return nil }
        let name = ObjectName.entry(key)
        guard let (envelope, file) = try await read(name) else { return nil }
        guard var found = SharedOriginal(metadata: envelope.metadata), found.key == key,
            let body = Self.enclosed(envelope, file, of: found)
        else {
            noteDamage(name)
            return nil
        }
        let time = believed(found.freshness.responseTime)
        switch record.verdict(on: key, tags: found.fields.tags, from: time) {
        case .holds: break
        // The time for which it may be served stale counts from the purge. Its time is not searched for; now is used.
        case .isStale: found.freshness = found.freshness.unconfirmed(at: environment.now())
        case .isPurged:
            counters.add(counters.purged)
            return nil
        }
        counters.add(counters.hits)
        return SharedAnswer(entry: found, body: body)
    }

    /// The time of an object, for the comparison with marks of purges. A time later than now comes from a clock that is ahead, so
    /// the object may be older than any purge.
    private func believed(_ time: Timestamp) -> Timestamp {
        let (latest, isFar) = environment.now().milliseconds.addingReportingOverflow(PurgeMarks.margin)
        return isFar || time.milliseconds <= latest ? time : Timestamp(milliseconds: .min)
    }

    /// The checked bytes within an entry; `.some(nil)` if it has none, nil if its bytes are wrong.
    private static func enclosed(
        _ envelope: Envelope, _ file: OwnedDescriptor, of original: SharedOriginal
    ) -> Body?? {
        guard envelope.bodyLength > 0 else { return .some(nil) }
        guard envelope.bodyDigest == original.digest.digest, envelope.bodyLength == original.length else {
            return nil
        }
        return Body.file(file, length: envelope.bodyLength)
    }

    /// The bytes of an original that are not within its entry.
    package func lookUpBody(of original: SharedOriginal) async -> LookResult<Body> {
        let name = ObjectName.original(original.digest)
        do throws(StoreSilence) {
            guard let (file, length, digest) = try await get(name) else { return .absent }
            // The object's name is the digest of its bytes, so anything else is damage.
            guard length == original.length, digest == original.digest.digest else {
                noteDamage(name)
                return .absent
            }
            counters.add(counters.hits)
            return .found(.file(file, length: length))
        } catch {
            return .silent
        }
    }

    /// The rendition of a key; nil if there is none, or if this node has purged it.
    /// - Parameter watermark: the bytes that it bears as a watermark; nil for none.
    package func rendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest? = nil
    ) async -> (rendition: Rendition, body: Body)? {
        guard configuration.renditions else { return nil }
        let name = ObjectName.rendition(key, of: original)
        guard let (envelope, file) = try? await read(name) else { return nil }
        guard let found = Rendition(metadata: envelope.metadata, key, length: envelope.bodyLength) else {
            noteDamage(name)
            return nil
        }
        let time = believed(envelope.written)
        let sources = [original, watermark].compactMap(\.self)
        guard !sources.contains(where: { record.hasPurged(renditionsOf: $0, from: time) }) else {
            counters.add(counters.purged)
            return nil
        }
        counters.add(counters.hits)
        return (found, .file(file, length: envelope.bodyLength))
    }

    // MARK: Writing

    /// Writes an original after the answer was sent: its bytes, and the entry of its URL.
    package func offer(_ original: Original, fields: StoredFields, body: Body) {
        guard configuration.originals else { return }
        if original.length <= configuration.enclosed {
            return push(entry(of: original, fields, .held(body)))
        }
        var bytes = StoreChange(
            .put(.original(original.digest), .held(body), metadata: [], at: environment.now()))
        bytes.digest = original.digest
        push(entry(of: original, fields, .none), after: bytes)
    }

    /// Writes the entry of a URL that a 304 has confirmed, after the answer was sent. The bytes are in the store already; if they
    /// were lost there, another node's fetch writes them again.
    ///
    /// - Parameter open: opens the bytes, on a writer's thread, for an entry that contains its bytes.
    package func offer(
        confirmed original: Original, fields: StoredFields, open: @escaping @Sendable () -> Body?
    ) {
        guard configuration.originals else { return }
        let isEnclosed = original.length <= configuration.enclosed
        push(entry(of: original, fields, isEnclosed ? .later(open, length: original.length) : .none))
    }

    private func entry(
        of original: Original, _ fields: StoredFields, _ content: StoreChange.Content
    ) -> StoreChange {
        let entry = SharedOriginal(
            key: original.key, digest: original.digest, length: original.length,
            lastModified: original.lastModified, freshness: original.freshness, fields: fields)
        var change = StoreChange(
            .put(.entry(original.key), content, metadata: entry.metadata, at: environment.now()))
        (change.key, change.tags, change.digest) = (original.key, fields.tags, original.digest)
        if environment.isInDoubt(original.key) { change.due = dueOfDoubt }
        return change
    }

    /// When an entry that is in doubt now will be written, in microseconds of the monotonic clock.
    private var dueOfDoubt: Int64 {
        let (earliest, slice) = (environment.ticks() + configuration.proof, max(1, configuration.proofSlice))
        // Cannot trap: the slice is at least 1.
        return (earliest + slice - 1) / slice * slice
    }

    /// Writes a rendition after the answer was sent.
    package func offer(_ rendition: Rendition, of original: OriginalDigest, body: Body) {
        guard configuration.renditions else { return }
        var change = StoreChange(
            .put(
                .rendition(rendition.key, of: original), .held(body), metadata: rendition.metadata,
                at: environment.now()))
        change.digest = original
        push(change)
    }

    /// Deletes the entry of a URL.
    package func forget(_ key: OriginalKey) {
        guard configuration.originals else { return }
        push(StoreChange(.delete(.entry(key))))
    }

    // MARK: Purges

    /// Marks a purge, before anything is removed. Returns once no restart can undo the mark. Blocks.
    /// - Throws: if the mark could not be kept.
    package func mark(_ order: PurgeOrder) async throws(IndexUnreadable) {
        let mark = PurgeMarks.Mark(
            subject: .originals(order.selection), time: time(of: order), isSoft: order.isSoft)
        try await keep([mark])
    }

    /// The second half of a purge: marks the renditions made from the bytes, and deletes them and the URLs' entries after the
    /// answer was sent. Another node's order for a URL only deletes the entries of variants that this node held. A soft purge
    /// deletes nothing.
    /// - Throws: if the marks could not be kept.
    package func purge(_ order: PurgeOrder, of purged: PurgedOriginals) async throws(IndexUnreadable) {
        guard !order.isSoft else { return }
        var keys = purged.keys.union(purged.matched)
        if case .url(let key) = order.selection { keys.formUnion([OriginalKey(url: key.url), key]) }
        let orphans = purged.orphans
        dropWrites { change in
            change.key.map { order.selection.matches($0, tags: change.tags) || keys.contains($0) } ?? false
                || change.digest.map(orphans.contains) ?? false
        }
        // The mark of everything covers these entries.
        if order.selection == .all { return }
        if !order.isRelayed {
            // If this node has not held the original, only its entry in the bucket names the bytes.
            purge(keys, takesBytes: purged.count == 0 && orphans.isEmpty)
            if !orphans.isEmpty { push(StoreChange(.purge([], orphans))) }
        } else if case .url = order.selection {
            // The node that received the order only knows the names of the variants that it held itself.
            purge(keys.filter { !$0.variant.isEmpty })
        }
        let time = time(of: order)
        try await keep(orphans.map { PurgeMarks.Mark(subject: .renditions($0), time: time) })
    }

    /// Forgets originals whose answers may belong to other URLs: marks them, and deletes their entries after the answer was sent.
    /// Bytes and renditions stay, because entries that this node does not know may refer to them. Returns once no restart can
    /// undo the marks.
    /// - Throws: if the marks could not be kept.
    package func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        guard configuration.originals else { return }
        dropWrites { $0.key.map(keys.contains) ?? false }
        purge(keys)
        let time = environment.now()
        try await keep(
            Set(keys.map(\.url)).map { url in
                PurgeMarks.Mark(
                    subject: .originals(.url(OriginalKey(url: url))), time: time, isDoubt: true)
            })
    }

    /// True if all marks are on disk; tries again to write those that are not.
    package func settles() async -> Bool {
        if case .success? = await settleRecord() { true } else { false }
    }

    private func time(of order: PurgeOrder) -> Timestamp {
        PurgeMarks.time(of: order, now: environment.now())
    }

    /// Drops waiting writes that a purge concerns.
    private func dropWrites(where isMeant: (StoreChange) -> Bool) {
        state.withLock { state in
            for name in state.queue.drop(where: isMeant) { state.outcomes.note(name, isWritten: false) }
        }
        tellSettled()
    }

    /// Deletes entries after the answer was sent, some at a time, because a failed change is tried again as a whole.
    private func purge(_ keys: Set<OriginalKey>, takesBytes: Bool = false) {
        var rest = keys.map(ObjectName.entry)[...]
        while !rest.isEmpty {
            var change = StoreChange(.purge(Set(rest.prefix(Self.slice)), []))
            change.takesBytes = takesBytes
            push(change)
            rest = rest.dropFirst(Self.slice)
        }
    }

    private func keep(_ marks: [PurgeMarks.Mark]) async throws(IndexUnreadable) {
        guard !marks.isEmpty else { return }
        // The marks count even if the disk does not answer.
        record.note(marks)
        let reason: String
        switch await settleRecord() {
        case .success?: return
        case .failure(let error)?: reason = "\(error)"
        case nil: reason = "the disk hangs"
        }
        throw IndexUnreadable(
            "What the order names is removed from the caches, but the purge cannot be recorded for the shared store, so a restart may bring it back: \(reason).",
            isCarriedOut: true)
    }

    /// Queues a change after the write of its bytes, because an entry without its bytes leads nowhere. One writer makes both, one
    /// after the other, and only one is woken.
    private func push(_ change: StoreChange, after bytes: StoreChange? = nil) {
        let (wakes, hasRoom) = state.withLock { state in
            var wakes = false
            for change in [bytes, change] {
                guard var change else { continue }
                if let name = change.name, state.outcomes.awaits(name) { change.due = nil }
                guard !state.isClosing, state.queue.push(change) else {
                    if case .put(let name, _, _, _) = change.kind {
                        state.outcomes.note(name, isWritten: false)
                    }
                    return (wakes, false)
                }
                // A writer that pauses will come to the change in time.
                if change.due == nil || state.pausing == 0 || state.queue.isFilling { wakes = true }
            }
            return (wakes, true)
        }
        if wakes { state.wakeOne() }
        if !hasRoom { counters.add(counters.dropped) }
    }
}
