// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes

/// One change: an object that is written, or objects that are deleted. Runs on a thread of the writers.
extension SharedStore {
    /// How often a deletion is tried; a write is tried once.
    private static let tries = 10
    /// How often an entry is read to find the bytes that it names. Then it is deleted without them.
    private static let looks = 3
    /// The most rounds in which a purge deletes listed names; a round has up to 1,000 names.
    private static let rounds = 20

    /// The reason why a change was not made.
    enum Trouble {
        /// The change is lost, with the store's words; nil if the store was not asked.
        case lost(String?)
        /// The change must be tried again, with the store's words; nil if the store is not at fault.
        case again(String?)

        var words: String? {
            switch self {
            case .lost(let words), .again(let words): words
            }
        }

        var sign: StoreBreaker.Sign { words == nil ? .nothing : .failed }
    }

    func make(_ change: StoreChange, by writer: any ObjectWriting) -> Trouble? {
        do throws(ObjectFailure) {
            switch change.kind {
            case .put(let name, let content, let metadata, let time):
                let object =
                    name.kind == .original
                    ? original(content, change.digest)
                    : sealed(name, content, name.kind == .entry ? change.digest : nil, metadata, time)
                guard let (body, digest) = object, change.key.map(environment.noteDoubt) ?? true else {
                    counters.add(counters.failedWrites)
                    return .lost(nil)
                }
                try writer.put(body, digest, as: name.text)
                counters.add(counters.written)
            case .delete(let name):
                try delete(name.text, by: writer)
            case .purge(let entries, let digests):
                for entry in entries { try purge(entry, of: change, by: writer) }
                for digest in digests { try purge(digest, by: writer) }
            }
            return nil
        } catch {
            let words = error.kind == .own ? nil : error.words
            if case .put = change.kind {
                counters.add(counters.failedWrites)
                return .lost(words)
            }
            if change.failures + 1 < Self.tries { return .again(words) }
            environment.report(.purgeFailed(error.words))
            return .lost(words)
        }
    }

    /// Deletes an entry. If its bytes must go as well, a purge of their own deletes them next, so that a failure there does not
    /// leave the entry. If it cannot be found out which bytes these are, they stay.
    private func purge(
        _ entry: ObjectName, of change: StoreChange, by writer: any ObjectWriting
    ) throws(ObjectFailure) {
        let bytes = change.takesBytes ? digest(in: entry, by: writer) : .success(nil)
        if case .failure(let failure) = bytes, change.failures + 1 < Self.looks { throw failure }
        try delete(entry.text, by: writer)
        switch bytes {
        case .success(nil): break
        case .success(let digest?):
            // This is done even while the store closes, because it is a part of a purge that has begun.
            state.withLock { $0.queue.putBack(StoreChange(.purge([], [digest]))) }
        case .failure(let failure): environment.report(.purgeFailed(failure.words))
        }
    }

    /// The digest of the bytes that an entry names; nil if there is no entry, or if the object is not a valid entry.
    private func digest(
        in entry: ObjectName, by writer: any ObjectWriting
    ) -> Result<OriginalDigest?, ObjectFailure> {
        let found: Result<[UInt8]?, ObjectFailure> = Result { () throws(ObjectFailure) in
            try writer.object(entry.text)
        }
        return found.map { object -> OriginalDigest? in
            guard let object, let envelope = Envelope.open(object, as: entry),
                let original = SharedOriginal(metadata: envelope.metadata),
                ObjectName.entry(original.key) == entry
            else { return nil }
            return original.digest
        }
    }

    private func purge(_ digest: OriginalDigest, by writer: any ObjectWriting) throws(ObjectFailure) {
        try delete(ObjectName.original(digest).text, by: writer)
        // A list may lag behind: deleted names that are still in it must neither hide the others nor keep the purge going for
        // ever.
        var gone: Set<String> = []
        var last: String?
        for _ in 0..<Self.rounds {
            let names = try writer.names(below: ObjectName.folder(of: digest), after: last)
                .filter { !gone.contains($0) }
            guard let end = names.max() else { return }
            last = end
            for name in names {
                try delete(name, by: writer)
                gone.insert(name)
            }
        }
        // The next try continues with the remaining names.
        throw ObjectFailure(.own, "there are more renditions of a picture than are deleted at once")
    }

    private func delete(_ name: String, by writer: any ObjectWriting) throws(ObjectFailure) {
        try writer.delete(name)
        counters.add(counters.deleted)
    }

    /// A large original is sent unchanged. It was hashed when it arrived; the store checks the digest, and so does each reader.
    /// Nil if its file has changed.
    private func original(_ content: StoreChange.Content, _ digest: OriginalDigest?) -> (Body, Digest)? {
        guard case .held(let body) = content, let digest else { return nil }
        if case .file(let file, _) = body, file.isAltered { return nil }
        return (body, digest.digest)
    }

    /// Any other object, in its envelope; nil if its body cannot be read or has changed.
    ///
    /// - Parameter digest: the digest that the body must have; nil if unknown.
    private func sealed(
        _ name: ObjectName, _ content: StoreChange.Content, _ digest: OriginalDigest?, _ metadata: [UInt8],
        _ time: Timestamp
    ) -> (Body, Digest)? {
        let body: Body?
        switch content {
        case .none: body = nil
        case .held(let held): body = held
        case .later(let open, _):
            guard let opened = open() else { return nil }
            body = opened
        }
        // An empty body has no digest here.
        let expected = body == nil ? nil : digest?.digest
        let sealed = Envelope.seal(body?.length ?? 0, expected, metadata, as: name, at: time) { storage in
            switch body {
            case .none: return true
            case .bytes(let held):
                storage.copyBytes(from: held.buffer)
                return true
            case .file(let file, _):
                return (try? file.read(from: 0, into: storage)) != nil && !file.isAltered
            }
        }
        return sealed.map { (.bytes($0.object), $0.digest) }
    }
}
