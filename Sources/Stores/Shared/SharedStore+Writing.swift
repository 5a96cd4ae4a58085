// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes

/// The work of the writing threads until the store is closed.
extension SharedStore {
    /// How often a deletion is tried; a write is tried once.
    private static let tries = 10
    /// How often an entry is read to find the bytes that it names. Then it is deleted without them.
    private static let looks = 3
    /// The most rounds in which a purge deletes listed names; a round has up to 1,000 names.
    private static let rounds = 20

    func write() {
        guard let writer = awaitWriter() else { return }
        while let change = next() {
            let failure = make(change, by: writer)
            let sign = failure?.sign ?? .answered
            // The number is only needed if the breaker may open.
            let chance = sign == .failed ? environment.chance() : 0
            let now = environment.ticks()
            let (hasChanged, othersMayGoOn) = state.withLock { state in
                state.queue.finish(change)
                state.leaving.subtract(change.leaving)
                if let failure, case .again = failure { state.queue.putBack(again(change)) }
                switch change.kind {
                case .put(let name, _, _, _): state.outcomes.note(name, isWritten: failure == nil)
                // A write that was offered before the deletion is undone, so it does not count as written.
                case .delete(let name): state.outcomes.note(name, isWritten: false)
                case .purge: break
                }
                let wasOpen = !state.breaker.isClosed
                let hasChanged = state.breaker.left(sign, at: now, chance: chance)
                // Other writers may be waiting for this change to end, or for the breaker. This thread itself takes the first
                // change that waits.
                let areHeldUp = wasOpen || hasChanged || state.queue.isAwaited(change)
                return (hasChanged, state.queue.count > 1 && areHeldUp || state.isClosing)
            }
            if othersMayGoOn { state.wakeAll() }
            tellSettled()
            if hasChanged { environment.report(.writes(failure?.words)) }
        }
    }

    /// Makes the thread's writer, and tries again until that succeeds: without a writer, changes would wait for ever, and purged
    /// objects would stay in the bucket. Nil at the end.
    private func awaitWriter() -> (any ObjectWriting)? {
        var isTold = false
        while true {
            if let writer = makeWriter(isLeaving) { return writer }
            if !isTold { environment.report(.noWriter) }
            isTold = true
            let isOver: Bool? = state.wait(milliseconds: configuration.writerPause) { [isLeaving] state in
                isLeaving.isSet || state.isClosing && state.queue.isIdle ? true : nil
            }
            if isOver == true { return nil }
        }
    }

    private func again(_ change: StoreChange) -> StoreChange {
        var change = change
        change.failures += 1
        return change
    }

    private enum Step {
        case make(StoreChange)
        /// The store rests; wait for so many milliseconds.
        case rest(Int)
        /// The next change is due in so many milliseconds.
        case pause(Int)
        case end
    }

    /// The next change; nil at the end.
    private func next() -> StoreChange? {
        var step: Step?
        while true {
            switch step ?? state.wait(until: { self.step(&$0) }) {
            case .make(let change): return change
            case .end: return nil
            case .rest(let milliseconds):
                step = nil
                _ = state.wait(milliseconds: milliseconds) { [environment] state in
                    state.isClosing || state.breaker.wait(at: environment.ticks()) == 0 ? true : nil
                }
            case .pause(let milliseconds):
                step = pause(milliseconds)
            }
        }
    }

    /// Waits for so many milliseconds at most, and returns the next step; nil if there is none.
    private func pause(_ milliseconds: Int) -> Step? {
        state.withLock { $0.pausing += 1 }
        let step = state.wait(milliseconds: milliseconds) { state -> Step? in
            guard let step = self.step(&state) else { return nil }
            if case .pause = step { return nil }
            state.pausing -= 1
            return step
        }
        if step == nil { state.withLock { $0.pausing -= 1 } }
        let isUnwatched = state.withLock {
            $0.pausing == 0 && $0.queue.pause(at: environment.ticks()) != nil
        }
        // This writer is busy from now on, so another one must wait for changes that are due later.
        if case .make = step, isUnwatched { state.wakeOne() }
        return step
    }

    /// The next step; nil while there is nothing to do.
    private func step(_ state: inout State) -> Step? {
        if isLeaving.isSet || state.isClosing && state.queue.isIdle { return .end }
        guard state.queue.count > 0 else { return nil }
        let now = environment.ticks()
        let rest = state.breaker.wait(at: now)
        guard rest == 0 else { return state.isClosing ? .end : .rest(Int(clamping: rest / 1_000) + 1) }
        guard let change = state.queue.pop(at: now, isLast: state.isClosing) else {
            return state.queue.pause(at: now).map { .pause(Int(clamping: $0 / 1_000) + 1) }
        }
        _ = state.breaker.enter(at: now)
        state.leaving.formUnion(change.leaving)
        return .make(change)
    }

    /// The reason why a change was not made.
    private enum Trouble {
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

    private func make(_ change: StoreChange, by writer: any ObjectWriting) -> Trouble? {
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
