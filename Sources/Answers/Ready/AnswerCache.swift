// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPCaching
package import HTTPSemantics
internal import HTTPServer
package import Kernel
package import Pipeline
package import Recipes
package import RequestGrammar
package import SourceURLs
package import Stores

/// The memory cache: ready answers by the exact bytes of their request's target, bounded by the bytes they hold.
/// Bodies that are too large for it stay open files, bounded by their number, and go out by sendfile. Those are files of the
/// disk cache alone, whose budget counts their bytes: what that has released, or did not take, is let go.
///
/// Where the answer depends on `Accept`, the key is the target and, as one more byte, the class of the `Accept`. That
/// byte is below the space and stands in no target, so the two kinds of key cannot be taken for one another.
///
/// **Isolation:** the stores guard themselves; the table adds no state.
package final class AnswerCache: Sendable {
    private let memory: MemoryStore<CachedAnswer>
    private let files: MemoryStore<CachedAnswer>
    private let bodies = NearBodies()

    /// - Parameters:
    ///   - budget: bytes.
    ///   - openFiles: descriptors.
    package init(budget: Int, openFiles: Int) {
        memory = MemoryStore(budget: budget)
        files = MemoryStore(budget: openFiles, measure: .entries)
    }

    package var memoryStatistics: MemoryStatistics { memory.statistics }
    package var fileStatistics: MemoryStatistics { files.statistics }

    /// A body in memory of this rendition, whatever targets lead to it.
    package func body(of key: RenditionKey) -> (rendition: Rendition, body: Body)? {
        bodies.find(key).map { ($0.rendition, $0.body) }
    }

    package func find(_ request: borrowing RequestView) -> CachedAnswer? {
        if let cachedAnswer = find(request.target) { return cachedAnswer }
        // Several lines of `Accept` are rare enough to go the long way.
        guard !request.head.isRepeated(.accept) else { return nil }
        return find(request.target, request[.accept].map { AcceptClass($0) } ?? [])
    }

    private func find(_ key: UnsafeRawBufferPointer) -> CachedAnswer? {
        if let held = memory.value(for: key) { return held }
        guard let open = files.value(for: key) else { return nil }
        if open.file?.isUnchanged ?? true { return open }
        // The disk cache finds out what has happened to it.
        files.remove(key)
        return nil
    }

    private func find(_ target: UnsafeRawBufferPointer, _ accept: AcceptClass) -> CachedAnswer? {
        withUnsafeTemporaryAllocation(byteCount: target.count + 1, alignment: 1) { key in
            key.copyMemory(from: target)
            key[target.count] = accept.rawValue
            return find(UnsafeRawBufferPointer(key))
        }
    }

    /// Remembers the answer for this target; what the target led to before is replaced.
    package func insert(
        _ presentation: Presentation, for target: String, accept: AcceptClass, at dialect: DialectName
    ) {
        guard let (body, text) = held(presentation) else { return }
        var key = Array(target.utf8)
        if presentation.answer.variesByAccept { key.append(accept.rawValue) }
        guard case .file(let file, _) = body else {
            let cachedAnswer = CachedAnswer(
                presentation, body: body, text: text, outcome: .memoryHit, dialect: dialect)
            let cost = cachedAnswer.overhead + body.length
            let insertion = key.withUnsafeBytes { memory.insert(cachedAnswer, for: $0, cost: cost) }
            if insertion == .kept, let near = cachedAnswer.near { bodies.insert(near) }
            return
        }
        let cachedAnswer = CachedAnswer(
            presentation, body: body, text: text, outcome: .diskHit, dialect: dialect)
        key.withUnsafeBytes { key in
            files.insert(cachedAnswer, for: key, cost: cachedAnswer.overhead)
            // Released before it was in the table, where `release` would have found it.
            if !file.isUnchanged { files.remove(key) }
        }
    }

    /// Lets go of open files that the disk cache counts no more.
    package func release(_ released: ReleasedFiles) {
        switch released {
        case .all: files.removeAll()
        case .renditions(let keys): files.remove { _, cachedAnswer in keys.contains(cachedAnswer.rendition) }
        }
    }

    /// Returns how many answers went. Looks at every one of them, a shard at a time.
    package func remove(where isMeant: (_ original: OriginalKey, _ tags: [String]) -> Bool) -> Int {
        [memory, files].reduce(0) {
            $0
                + $1.remove { (_, cachedAnswer) in
                    cachedAnswer.originals.contains { isMeant($0, cachedAnswer.tags) }
                }
        }
    }

    /// What to hold: the bytes that are sent where the memory store would take them, else the rendition's, else the file.
    /// Nil: nothing, because nobody's budget would count it, or it has changed meanwhile.
    private func held(_ presentation: Presentation) -> (body: Body, text: Base64Text?)? {
        let largest = memory.largestEntry - Self.room
        let (body, text) = (presentation.body, presentation.text)
        var bytes: ImmutableBytes?
        if let text, text.count <= largest {
            guard let whole = try? text.bytes() else { return nil }
            bytes = whole
        }
        guard case .file(let file, let length) = body else {
            return bytes.map { (.bytes($0), nil) } ?? (body, text)
        }
        if let bytes { return file.isAltered ? nil : (.bytes(bytes), nil) }
        if length <= largest {
            guard let bytes = file.bytes(count: length), !file.isAltered else { return nil }
            return (.bytes(bytes), text.map { Base64Text(prefix: $0.prefix, of: .bytes(bytes)) })
        }
        return file.state == nil ? nil : (body, text)
    }

    /// A body that is to be sent: a small one in memory, else its file. Nil: the file has been changed since its store
    /// verified it, or cannot be read.
    package func intact(_ body: Body) -> Body? {
        guard case .file(let file, let length) = body else { return body }
        // Large ones stay files: slow readers would hold a copy each, which nobody counts. So does what memory would not take.
        guard length <= min(Self.smallBody, memory.largestEntry - Self.room) else {
            return file.isAltered ? nil : body
        }
        guard let bytes = file.bytes(count: length), !file.isAltered else { return nil }
        return .bytes(bytes)
    }

    /// Bytes; what a connection holds of its request is as large.
    private static let smallBody = 16 << 10

    /// Bytes left for the heads and the target of an entry that is just small enough; a target has 64 KiB at most.
    private static let room = 72 << 10
}
