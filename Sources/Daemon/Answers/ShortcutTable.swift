// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
internal import HTTPServer
internal import ImageModel
internal import Kernel
internal import Pipeline
internal import Stores

/// The near shelf: ready answers by the exact bytes of their request's target, bounded by the bytes they hold.
/// Bodies that are too large for it stay open files, bounded by their number, and go out by sendfile.
///
/// Where the answer depends on `Accept`, the key is the target and, as one more byte, the class of the `Accept`. That
/// byte is below the space and stands in no target, so the two kinds of key cannot be taken for one another.
///
/// **Isolation:** the stores guard themselves; the table adds no state.
final class ShortcutTable: Sendable {
    private let memory: MemoryStore<Shortcut>
    private let files: MemoryStore<Shortcut>
    private let bodies = NearBodies()

    /// - Parameters:
    ///   - budget: bytes.
    ///   - openFiles: descriptors.
    init(budget: Int, openFiles: Int) {
        memory = MemoryStore(budget: budget)
        files = MemoryStore(budget: openFiles, measure: .entries)
    }

    var memoryStatistics: MemoryStatistics { memory.statistics }
    var fileStatistics: MemoryStatistics { files.statistics }

    /// A body in memory of this rendition, whatever targets lead to it.
    func body(of key: RenditionKey) -> (rendition: Rendition, body: Body)? {
        bodies.find(key).map { ($0.rendition, $0.body) }
    }

    func find(_ request: borrowing RequestView) -> Shortcut? {
        if let shortcut = find(request.target) { return shortcut }
        // Several lines of `Accept` are rare enough to go the long way.
        guard !request.head.isRepeated(.accept) else { return nil }
        return find(request.target, request[.accept].map { AcceptClass($0) } ?? [])
    }

    private func find(_ key: UnsafeRawBufferPointer) -> Shortcut? {
        memory.value(for: key) ?? files.value(for: key)
    }

    private func find(_ target: UnsafeRawBufferPointer, _ accept: AcceptClass) -> Shortcut? {
        withUnsafeTemporaryAllocation(byteCount: target.count + 1, alignment: 1) { key in
            key.copyMemory(from: target)
            key[target.count] = accept.rawValue
            return find(UnsafeRawBufferPointer(key))
        }
    }

    /// Remembers the answer for this target; what the target led to before is replaced.
    func insert(_ presentation: Presentation, for target: String, accept: AcceptClass) {
        var key = Array(target.utf8)
        let body = inMemory(presentation.body)
        let isFile = if case .file = body { true } else { false }
        let shortcut = Shortcut(presentation, body: body, outcome: isFile ? .diskHit : .memoryHit)
        let store = isFile ? files : memory
        if presentation.answer.variesByAccept { key.append(accept.rawValue) }
        let cost = shortcut.overhead + (isFile ? 0 : body.length)
        let insertion = key.withUnsafeBytes { store.insert(shortcut, for: $0, cost: cost) }
        if !isFile, insertion == .kept, let near = shortcut.near { bodies.insert(near) }
    }

    /// Returns how many answers went. Looks at every one of them, a shard at a time.
    func remove(where isMeant: (_ original: OriginalKey, _ tags: [String]) -> Bool) -> Int {
        [memory, files].reduce(0) {
            $0 + $1.remove { (_, shortcut) in shortcut.originals.contains { isMeant($0, shortcut.tags) } }
        }
    }

    /// The bytes themselves where the memory store would take them, the file where not.
    private func inMemory(_ body: Body) -> Body {
        guard case .file(let file, let length) = body, length <= memory.largestEntry - Self.room,
            let bytes = file.bytes(count: length)
        else { return body }
        return .bytes(bytes)
    }

    /// Bytes left for the heads and the target of an entry that is just small enough; a target has 64 KiB at most.
    private static let room = 72 << 10
}
