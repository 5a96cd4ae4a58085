// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
import Hashing
import Kernel
import Pipeline
import SourceURLs
@testable import Stores
import Testing

/// A bucket in memory, and a clock that the test moves by hand.
final class Bucket: ObjectReading, Sendable {
    struct State: Sendable {
        var objects: [String: [UInt8]] = [:]
        var failure: ObjectFailure?
        /// Objects whose names begin so are not answered in time.
        var failing: String?
        var reads = 0
        var now = Timestamp(seconds: 1_700_000_000)
        var ticks: Int64 = 0
        var events: [SharedStoreEvent] = []
        /// Counts the files in memory into which objects are read; nil for files that nobody counts, as on a disk.
        var held: HeldBytes?
        /// Calls are held back while this is true.
        var isHolding = false
        /// The number of writes begun.
        var begun = 0
        /// How many of the next writes will fail.
        var failingWrites = 0
        /// How many of the next reads by writers will fail.
        var failingLooks = 0
        /// Originals for which an entry was about to be written, and the number of entries in the bucket at that moment.
        var noted: [(key: OriginalKey, entries: Int)] = []
        /// How many times a writer cannot be made before one can.
        var lackingWriters = 0
        /// Originals whose answers may turn out to belong to others.
        var doubts: Set<OriginalKey> = []
        /// False if a restart would not know that they are in doubt.
        var knowsDoubts = true
        /// Names in lists whose objects do not exist.
        var lagging: [String] = []
    }

    /// A monitor, because writers wait for it.
    let state = Monitor(State())

    func get(_ name: String) async -> ObjectReply {
        let found: (failure: ObjectFailure?, bytes: [UInt8]?, held: HeldBytes?) = state.withLock { state in
            state.reads += 1
            let isLate = state.failing.map(name.hasPrefix) ?? false
            return (
                isLate ? ObjectFailure(.timeout, "late") : state.failure, state.objects[name], state.held
            )
        }
        if let failure = found.failure { return .failed(failure) }
        guard let bytes = found.bytes, let file = try? Self.file(bytes, found.held) else { return .absent }
        return .found(file, length: bytes.count, digest: SHA256.digest(of: bytes))
    }

    private static func file(_ bytes: [UInt8], _ held: HeldBytes?) throws -> OwnedDescriptor {
        guard let held else { return try EnvelopeTests.file(bytes) }
        return try MemoryFile.holding(ImmutableBytes(bytes), of: held)
    }

    /// Waits until a write has begun.
    func awaitWrite() {
        #expect(state.wait(milliseconds: 60_000) { $0.begun > 0 ? true : nil } == true, "a write has begun")
    }

    func open(_ adjust: (inout SharedStoreConfiguration) -> Void = { _ in }, in cache: CacheUnderTest) throws
        -> SharedStore
    {
        var configuration = SharedStoreConfiguration(purges: cache.folder + "/shared-purges")
        (configuration.writers, configuration.writerPause) = (1, 1)
        (configuration.farewell, configuration.lastPatience) = (60_000, 60_000)
        // Less than the size of most tests' pictures.
        configuration.enclosed = 1_000
        adjust(&configuration)
        let environment = SharedEnvironment(
            now: { self.state.withLock { $0.now } }, ticks: { self.state.withLock { $0.ticks } },
            chance: { 0 }, report: { event in self.state.withLock { $0.events.append(event) } },
            isInDoubt: { key in self.state.withLock { $0.doubts.contains(key) } },
            noteDoubt: { key in
                self.state.withLock { state in
                    state.noted.append((key, state.objects.keys.count { $0.hasPrefix("u") }))
                    return state.knowsDoubts
                }
            })
        let store = try SharedStore(configuration, environment, reader: self) { _ in
            let isLacking = self.state.withLock { state in
                state.lackingWriters -= 1
                return state.lackingWriters >= 0
            }
            return isLacking ? nil : BucketObjectWriter(self)
        }
        try store.start()
        return store
    }
}

final class BucketObjectWriter: ObjectWriting {
    let bucket: Bucket

    init(_ bucket: Bucket) { self.bucket = bucket }

    private func change(_ work: (inout [String: [UInt8]]) -> Void) throws(ObjectFailure) {
        bucket.state.withLock { $0.begun += 1 }
        bucket.state.wakeAll()
        let failure: ObjectFailure? = bucket.state.wait { state in
            if state.isHolding { return nil }
            if state.failingWrites > 0 {
                state.failingWrites -= 1
                return .some(ObjectFailure(.error, "no"))
            }
            work(&state.objects)
            return .some(nil)
        }
        if let failure { throw failure }
    }

    func put(_ body: Body, _ digest: Digest, as name: String) throws(ObjectFailure) {
        let bytes =
            switch body {
            case .bytes(let held): Array(held.buffer)
            case .file(let file, let length): FileIO.bytes(of: file.raw, at: 0, count: length) ?? []
            }
        guard SHA256.digest(of: bytes) == digest else { throw ObjectFailure(.error, "other bytes") }
        try change { $0[name] = bytes }
    }
    func delete(_ name: String) throws(ObjectFailure) { try change { $0[name] = nil } }
    func object(_ name: String) throws(ObjectFailure) -> [UInt8]? {
        let (object, fails) = bucket.state.withLock { state in
            defer { state.failingLooks = max(0, state.failingLooks - 1) }
            return (state.objects[name], state.failingLooks > 0)
        }
        if fails { throw ObjectFailure(.error, "no") }
        return object
    }
    func names(below prefix: String, after last: String?) throws(ObjectFailure) -> [String] {
        let names = bucket.state.withLock { state in
            (state.lagging + state.objects.keys).filter { $0.hasPrefix(prefix) }
        }
        return Array(names.sorted().filter { name in last.map { $0 < name } ?? true }.prefix(2))
    }
}

extension SharedStore {
    /// The original; nil for any failure.
    func original(_ key: OriginalKey) async -> SharedAnswer<Body>? { await lookUp(key).found }

    /// The bytes; nil for any failure.
    func body(of original: SharedOriginal) async -> Body? { await lookUpBody(of: original).found }
}
