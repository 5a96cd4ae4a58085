// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
package import HTTPSemantics
package import Kernel
package import Pipeline
package import Recipes
package import RequestGrammar
package import SourceURLs
package import Stores
internal import Synchronization

/// The memory cache: ready answers under the exact bytes of their request's target, bounded by the bytes they
/// hold. Bodies too large for it stay open files, bounded by their number, and are sent by sendfile(2). Only
/// files of the disk cache are kept open, because its budget counts their bytes; a file that the disk cache
/// releases, or never took, is closed.
///
/// If the answer depends on `Accept`, the key is the target and, as one more byte, the class of the `Accept`. That byte is below the
/// space and occurs in no target, so the two kinds of key never collide. If the answer depends on clients' hints, one byte or five
/// follow, with the needs that the hints name (`ClientNeeds.key`).
///
/// **Isolation:** the stores guard themselves; the table adds one counter.
package final class AnswerCache: Sendable {
    let memory: MemoryStore<CachedAnswer>
    private let files: MemoryStore<CachedAnswer>
    private let bodies = WeakTable<RenditionKey, RenditionBody>()
    private let originals = WeakTable<OriginalKey, AnsweredOriginal>()
    private let missed = Atomic<Int>(0)
    private let number = Atomic<Int>(0)

    /// - Parameters:
    ///   - budget: bytes held in memory.
    ///   - openFiles: descriptors kept open.
    package init(budget: Int, openFiles: Int) {
        memory = MemoryStore(budget: budget)
        files = MemoryStore(budget: openFiles, measure: .entries)
    }

    /// Counters of the answers in memory.
    package var memoryStatistics: MemoryStatistics { memory.statistics }
    /// Counters of the open files.
    package var fileStatistics: MemoryStatistics { files.statistics }

    /// Requests for whose target and fields an answer was found, in memory or as an open file.
    package var hits: Int { memory.statistics.hits + files.statistics.hits }
    /// Requests for which no answer was found. Counted here, because one request looks up to four times: by target, and by target and
    /// `Accept`, in memory and among the open files.
    package var misses: Int { missed.load(ordering: .relaxed) }

    /// This rendition and its body, if an answer for any target holds it in memory.
    package func body(of key: RenditionKey) -> (rendition: Rendition, body: Body)? {
        bodies.find(key).map { ($0.rendition, $0.body) }
    }

    /// The answer for this target and `Accept`; nil if none is held. The caller checks its freshness. Counts
    /// one hit or one miss.
    /// - Parameters:
    ///   - needs: nil if hints are not read; then no answer depends on them. Evaluated only if no answer without hints is held.
    ///   - formats: the formats that `Accept` may choose; no answer depends on other formats in it.
    package func find(
        _ request: borrowing RequestView, _ needs: @autoclosure () -> ClientNeeds? = nil,
        choosing formats: AcceptClass = .all
    ) -> CachedAnswer? {
        switch find(request.target) {
        case .held(let cachedAnswer): return cachedAnswer
        case .altered: return nil
        case .none: break
        }
        // Several lines of `Accept` are too rare for a fast path.
        if !request.head.isRepeated(.accept) {
            let accept = request[.accept].map { AcceptClass($0).intersection(formats) } ?? AcceptClass()
            var found = find(request.target, accept, [])
            if case .none = found, let needs = needs() {
                found = find(request.target, accept, needs.key(.saveData))
                if case .none = found { found = find(request.target, accept, needs.key(.ofWidth)) }
            }
            switch found {
            case .held(let cachedAnswer): return cachedAnswer
            case .altered: return nil
            case .none: break
            }
        }
        missed.wrappingAdd(1, ordering: .relaxed)
        return nil
    }

    private enum Lookup {
        case held(CachedAnswer)
        /// An open file that was written to since it was opened. The store has counted a hit. The target's other kind of key has no
        /// answer, because the target alone decides which kind is used.
        case altered
        case none
    }

    private func find(_ bytes: UnsafeRawBufferPointer) -> Lookup {
        let key = MemoryKey(bytes)
        if let held = memory.value(for: key) { return .held(held) }
        guard let open = files.value(for: key) else { return .none }
        if open.file?.isUnchanged ?? true { return .held(open) }
        // The disk cache finds out why when it opens the file again.
        files.remove(key)
        return .altered
    }

    private func find(
        _ target: UnsafeRawBufferPointer, _ accept: AcceptClass, _ more: [UInt8]
    ) -> Lookup {
        withUnsafeTemporaryAllocation(byteCount: target.count + 1 + more.count, alignment: 1) { key in
            key.copyMemory(from: target)
            key[target.count] = accept.rawValue
            for (index, byte) in more.enumerated() { key[target.count + 1 + index] = byte }
            return find(UnsafeRawBufferPointer(key))
        }
    }

    /// The number of the rules under which answers are made now; the rules say who may have which answer.
    package var epoch: Int { number.load(ordering: .acquiring) }

    /// Begins new rules: forgets all answers, and rejects answers that are still being made under the old rules.
    package func beginEpoch() {
        number.add(1, ordering: .acquiringAndReleasing)
        memory.removeAll()
        files.removeAll()
    }

    /// Stores the answer for this target, replacing an older one, unless the rules have changed since that epoch.
    /// - Parameter isHeld: true if the disk cache holds the original and the watermark, with the answer's bytes.
    /// - Returns: the answer as it is stored; nil if its body is in no budget, or has changed.
    @discardableResult
    package func insert(
        _ presentation: Presentation, for target: [UInt8], accept: AcceptClass, needs: ClientNeeds = .none,
        at dialect: DialectName, of epoch: Int, isHeld: Bool
    ) -> CachedAnswer? {
        guard epoch == self.epoch, let (body, text) = held(presentation) else { return nil }
        let original = part(presentation.answer.original, isHeld: isHeld)
        let watermark = presentation.answer.watermark.map { part($0, isHeld: isHeld) }
        var file: OwnedDescriptor?
        if case .file(let open, _) = body { file = open }
        let cachedAnswer = CachedAnswer(
            presentation, of: original, bearing: watermark, body: body, text: text,
            outcome: file == nil ? .memoryHit : .diskHit, dialect: dialect)
        Self.key(of: presentation, for: target, accept, needs).withUnsafeBytes { bytes in
            let key = MemoryKey(bytes)
            if let file {
                insert(cachedAnswer, holding: file, for: key, of: epoch)
            } else {
                insert(cachedAnswer, bodyLength: body.length, for: key, of: epoch)
            }
        }
        return cachedAnswer
    }

    /// The target, and what else the answer depends on.
    private static func key(
        of presentation: Presentation, for target: [UInt8], _ accept: AcceptClass, _ needs: ClientNeeds
    ) -> [UInt8] {
        let hints = presentation.hints
        var key = target
        if presentation.answer.variesByAccept || !hints.isEmpty { key.append(accept.rawValue) }
        if !hints.isEmpty { key += needs.key(hints) }
        return key
    }

    /// Stores an answer whose body is in memory.
    private func insert(
        _ cachedAnswer: CachedAnswer, bodyLength: Int, for key: MemoryKey, of epoch: Int
    ) {
        files.remove(key)
        let insertion = memory.insert(cachedAnswer, for: key, cost: cachedAnswer.overhead + bodyLength)
        if insertion == .kept, let renditionBody = cachedAnswer.renditionBody {
            bodies.insert(renditionBody, for: renditionBody.rendition.key)
        }
        // The rules changed while the answer was inserted.
        if epoch != self.epoch { memory.remove(key) }
    }

    /// Stores an answer whose body is an open file.
    private func insert(
        _ cachedAnswer: CachedAnswer, holding file: OwnedDescriptor, for key: MemoryKey, of epoch: Int
    ) {
        files.insert(cachedAnswer, for: key, cost: cachedAnswer.overhead)
        // Removed, because a look-up that found a former answer in memory would look no further, and would keep it among the
        // newest.
        memory.remove(key)
        // Checked once more, because a file that was released before it entered the table was not there for `release` to find.
        if !file.isUnchanged || epoch != self.epoch { files.remove(key) }
    }

    private func part(_ original: Original, isHeld: Bool) -> AnsweredPart {
        let answered = originals.object(for: original.key) { AnsweredOriginal() }
        if isHeld { answered.bytes.allow(held: original.digest) }
        return AnsweredPart(original: answered, digest: original.digest)
    }

    /// Closes files that the disk cache no longer counts.
    package func release(_ released: ReleasedFiles) {
        switch released {
        case .all: files.removeAll()
        case .renditions(let keys): files.remove { _, cachedAnswer in keys.contains(cachedAnswer.rendition) }
        case .originals(let digests):
            files.remove { _, cachedAnswer in cachedAnswer.handedOn.map { digests.contains($0) } ?? false }
        case .nameless(let numbers):
            files.remove { _, answer in answer.file?.state.map { numbers.contains($0.number) } ?? false }
        }
    }

    /// Ends the answers that are made of other bytes of an original than these. They stay until they are replaced or evicted, but
    /// serve no request.
    /// - Parameter digest: nil to end all answers made of the original.
    package func endAnswers(of original: OriginalKey, except digest: OriginalDigest?) {
        originals.find(original)?.bytes.restrict(to: digest)
    }

    /// Removes matching answers, and returns their number. Scans all answers, a part at a time.
    package func remove(where isMeant: (_ original: OriginalKey, _ tags: [String]) -> Bool) -> Int {
        [memory, files].reduce(0) { $0 + $1.remove { _, answer in answer.isMade(of: isMeant) } }
    }

    /// The number of matching answers, found as by `remove(where:)`.
    package func count(where isMeant: (_ original: OriginalKey, _ tags: [String]) -> Bool) -> Int {
        [memory, files].reduce(0) { $0 + $1.count { _, answer in answer.isMade(of: isMeant) } }
    }
}
