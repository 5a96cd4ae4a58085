// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPCaching
import HTTPSemantics
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("The shared store, over a bucket in memory")
struct SharedStoreTests: BucketSuite {
    let bucket = Bucket()
    let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    @Test func `another node finds what one has written`() async throws {
        try fill()
        let other = try bucket.open(in: try CacheUnderTest(inMemory: true))
        defer { other.close() }
        let found = try #require(await other.original(Self.picture.original().key)?.entry)
        #expect(found.digest == Self.picture.source && found.fields == Self.fields)
        #expect(found.freshness == Self.original(at: bucket.state.withLock { $0.now }).freshness)
        #expect(bytes(await other.body(of: found)) == Self.picture.bytes)
        let made = try #require(await other.rendition(Self.picture.rendition.key, of: Self.picture.source))
        var rendition = Self.picture.rendition
        rendition.length = Picture(8).bytes.count
        #expect(made.rendition == rendition && bytes(made.body) == Picture(8).bytes)
        #expect(other.statistics.hits == 3 && other.statistics.misses == 0)
        #expect(await other.original(OriginalKey(url: "http://host/none")) == nil)
        #expect(other.statistics.misses == 1)
    }

    @Test func `an entry is written once a restart would know of a doubt about it`() throws {
        try fill()
        let noted = bucket.state.withLock { $0.noted }
        #expect(noted.map(\.key) == [Self.picture.original().key] && noted.map(\.entries) == [0])
    }

    @Test func `an entry is not written where a restart would not know of the doubt about it`() async throws {
        bucket.state.withLock { $0.knowsDoubts = false }
        let store = try bucket.open(Self.enclose, in: cache)
        defer { store.close() }
        let original = Self.original(at: bucket.state.withLock { $0.now })
        store.offer(original, fields: Self.fields, body: Self.body())
        #expect(await !store.isWritten(original, tags: []))
        #expect(bucket.state.withLock { $0.objects.isEmpty } && store.statistics.failedWrites == 1)
    }

    private func entries() -> Int {
        bucket.state.withLock { $0.objects.keys.count { $0.hasPrefix("u") } }
    }

    /// Offers an original in doubt, and then a rendition, which is written.
    private func offerInDoubt(to store: SharedStore) async {
        bucket.state.withLock { $0.doubts = [Self.picture.original().key] }
        store.offer(
            Self.original(at: bucket.state.withLock { $0.now }), fields: Self.fields, body: Self.body())
        await writeRendition(8, to: store)
    }

    private func writeRendition(_ number: Int, to store: SharedStore) async {
        let rendition = Picture(number).rendition
        store.offer(rendition, of: Self.picture.source, body: Self.body(Picture(number)))
        #expect(await store.isWritten(rendition.key, of: Self.picture.source))
    }

    @Test func `an entry in doubt waits a second for the proof`() async throws {
        let store = try bucket.open(Self.enclose, in: cache)
        defer { store.close() }
        await offerInDoubt(to: store)
        #expect(entries() == 0 && bucket.state.withLock { $0.noted.isEmpty })
        bucket.state.withLock { $0.ticks += 999_999 }
        await writeRendition(9, to: store)
        #expect(entries() == 0)
        bucket.state.withLock { $0.ticks += 1 }
        await writeRendition(10, to: store)
        #expect(entries() == 1 && bucket.state.withLock { $0.noted.count } == 1)
    }

    @Test func `an entry in doubt does not wait where another node does, or at the end`() async throws {
        let store = try bucket.open(Self.enclose, in: cache)
        await offerInDoubt(to: store)
        #expect(entries() == 0)
        #expect(await store.isWritten(Self.original(at: bucket.state.withLock { $0.now }), tags: []))
        #expect(entries() == 1)
        bucket.state.withLock { $0.objects = [:] }
        await offerInDoubt(to: store)
        store.close()
        #expect(entries() == 1)
    }

    @Test func `an entry that was in doubt and is forgotten meanwhile is never written`() async throws {
        let store = try bucket.open(Self.enclose, in: cache)
        await offerInDoubt(to: store)
        try await store.forget(doubtful: [Self.picture.original().key])
        store.close()
        #expect(bucket.state.withLock { $0.noted.isEmpty } && entries() == 0)
    }

    @Test func `a file that came from the store has nothing behind its body`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let made = try #require(await store.rendition(Self.picture.rendition.key, of: Self.picture.source))
        guard case .file(let file, let length) = made.body else {
            Issue.record("It is no file.")
            return
        }
        #expect(FileIO.bytes(of: file.raw, at: length, count: 1) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a stop does not wait for a call that does not return`() throws {
        let store = try bucket.open({ ($0.farewell, $0.lastPatience) = (1, 1) }, in: cache)
        bucket.state.withLock { $0.isHolding = true }
        defer {
            bucket.state.withLock { $0.isHolding = false }
            bucket.state.wakeAll()
        }
        store.offer(Self.original(at: .init(seconds: 0)), fields: Self.fields, body: Self.body())
        bucket.awaitWrite()
        store.close()
        #expect(store.statistics.written == 0)
    }

    @Test func `what is not to be shared is neither written nor read`() async throws {
        let store = try bucket.open({ ($0.originals, $0.renditions) = (false, false) }, in: cache)
        store.offer(Self.original(at: .init(seconds: 0)), fields: Self.fields, body: Self.body())
        store.offer(Self.picture.rendition, of: Self.picture.source, body: Self.body())
        #expect(await store.original(Self.picture.original().key) == nil)
        #expect(await store.rendition(Self.picture.rendition.key, of: Self.picture.source) == nil)
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty && $0.reads == 0 })
    }

    @Test func `every object, altered in any way, is a miss that is counted and told`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let whole = bucket.state.withLock { $0.objects }
        let found = try #require(await store.original(Self.picture.original().key)?.entry)
        var expected = 0
        for name in whole.keys.sorted() {
            let bytes = whole[name] ?? []
            let other = whole.first { $0.key != name }?.value ?? []
            for damaged in [Array(bytes.dropLast()), [], other, bytes.map { $0 ^ 1 }, bytes + bytes] {
                bucket.state.withLock { $0.objects[name] = damaged }
                switch name.first {
                case "u": #expect(await store.original(found.key) == nil)
                case "o": #expect(await store.body(of: found) == nil)
                default:
                    #expect(await store.rendition(Self.picture.rendition.key, of: found.digest) == nil)
                }
                expected += 1
            }
            bucket.state.withLock { $0.objects[name] = bytes }
        }
        #expect(store.statistics.damaged == expected && expected == 15)
        #expect(bucket.state.withLock { $0.events.count } == expected)
        #expect(store.statistics.reading == 1, "a store that answers is well")
    }

    @Test func `an original under a name that its bytes do not have is a miss`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let found = try #require(await store.original(Self.picture.original().key)?.entry)
        let name = ObjectName.original(found.digest)
        let forged = [UInt8](repeating: 0, count: found.length)
        bucket.state.withLock { $0.objects[name.text] = forged }
        #expect(await store.body(of: found) == nil && store.statistics.damaged == 1)
    }

    @Test func `an original is there as it came, with nothing around it`() throws {
        try fill()
        let name = ObjectName.original(Self.picture.source).text
        #expect(bucket.state.withLock { $0.objects[name] } == Self.picture.bytes)
    }

    @Test func `bytes that are not those of their digest are not written`() throws {
        let store = try bucket.open(in: cache)
        var original = Self.original(at: .init(seconds: 0))
        original.digest = Picture(9).source
        store.offer(original, fields: Self.fields, body: Self.body())
        store.close()
        #expect(bucket.state.withLock { $0.objects.keys.filter { $0.hasPrefix("o/") }.isEmpty })
        #expect(store.statistics.failedWrites == 1)
    }

    @Test func `a store that fails is left alone, and tried once after a while`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = Self.picture.original().key
        bucket.state.withLock { ($0.failure, $0.reads) = (ObjectFailure(.timeout, "late"), 0) }
        for _ in 0..<20 { #expect(await store.original(key) == nil) }
        #expect(bucket.state.withLock { $0.reads } == StoreBreaker.threshold)
        #expect(store.statistics.timeouts == StoreBreaker.threshold)
        #expect(store.statistics.skipped == 20 - StoreBreaker.threshold && store.statistics.reading == 0)
        bucket.state.withLock { ($0.failure, $0.ticks) = (nil, StoreBreaker.rests.lowerBound) }
        #expect(await store.original(key) != nil)
        #expect(store.statistics.reading == 1)
        #expect(
            bucket.state.withLock { $0.events } == [
                .reads([.entry, .original, .rendition], "late"),
                .reads([.entry, .original, .rendition], nil),
            ])
    }

    @Test func `a store that does not answer is told apart from one that has nothing`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = Self.picture.original().key
        guard case .absent = await store.lookUp(key) else {
            Issue.record("it has nothing")
            return
        }
        bucket.state.withLock { $0.failure = ObjectFailure(.timeout, "late") }
        // Including the requests that the breaker saves.
        for number in 0..<2 * StoreBreaker.threshold {
            guard case .silent = await store.lookUp(key) else {
                Issue.record("look \(number)")
                return
            }
        }
    }

    @Test func `a store that answers entries and hangs at bytes is asked for no more bytes, and for entries`()
        async throws
    {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = Self.picture.original().key
        bucket.state.withLock { ($0.failing, $0.reads) = ("o/", 0) }
        for number in 0..<20 {
            let entry = try #require(await store.original(key)?.entry, "read \(number)")
            #expect(await store.body(of: entry) == nil)
            #expect(await store.rendition(Self.picture.rendition.key, of: Self.picture.source) != nil)
        }
        #expect(bucket.state.withLock { $0.reads } == 40 + StoreBreaker.threshold)
        #expect(store.statistics.timeouts == StoreBreaker.threshold && store.statistics.reading == 0)
        bucket.state.withLock { ($0.failing, $0.ticks) = (nil, StoreBreaker.rests.lowerBound) }
        let entry = try #require(await store.original(key)?.entry)
        #expect(await store.body(of: entry) != nil && store.statistics.reading == 1)
        #expect(
            bucket.state.withLock { $0.events } == [.reads([.original], "late"), .reads([.original], nil)])
    }

    @Test func `failures that are none of the store's do not count against it`() async throws {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        bucket.state.withLock { $0.failure = ObjectFailure(.own, "too many") }
        for _ in 0..<20 { #expect(await store.original(Self.picture.original().key) == nil) }
        #expect(bucket.state.withLock { $0.reads } == 20 && store.statistics.reading == 1)
    }

    @Test func `a store that only has objects that are too large for this node counts as one that answers`()
        async throws
    {
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = Self.picture.original().key
        bucket.state.withLock { $0.failure = ObjectFailure(.error, "503") }
        for _ in 0..<StoreBreaker.threshold { #expect(await store.original(key) == nil) }
        #expect(store.statistics.reading == 0)
        bucket.state.withLock { state in
            state.failure = ObjectFailure(.oversized, "too large")
            state.ticks = StoreBreaker.rests.lowerBound
        }
        #expect(await store.original(key) == nil && store.statistics.reading == 1)
        #expect(store.statistics.skipped == 1)
        #expect(bucket.state.withLock { $0.events.last } == .reads(ObjectKind.allCases, nil))
    }

    @Test func `what does not fit into the queue is dropped and counted, and nobody waits`() throws {
        let store = try bucket.open({ $0.queueCount = 2 }, in: cache)
        bucket.state.withLock { $0.isHolding = true }
        func offer(_ number: Int) {
            store.offer(
                Picture(number).rendition, of: Picture(number).source, body: Self.body(Picture(number)))
        }
        offer(0)
        bucket.awaitWrite()
        for number in 1..<10 { offer(number) }
        #expect(store.statistics.dropped == 7 && store.statistics.waiting == 2)
        #expect(store.statistics.waitingBytes > 0)
        bucket.state.withLock { $0.isHolding = false }
        bucket.state.wakeAll()
        store.close()
        #expect(store.statistics.written == 3 && bucket.state.withLock { $0.objects.count } == 3)
    }

    @Test func `what is larger than the queue is not shared`() throws {
        let store = try bucket.open({ $0.queueBytes = 1_000 }, in: cache)
        store.offer(Self.original(at: .init(seconds: 0)), fields: Self.fields, body: Self.body())
        store.close()
        #expect(store.statistics.dropped == 1 && bucket.state.withLock { $0.objects.isEmpty })
    }

    @Test func `what is larger than the queue is not asked for, whoever wrote it`() async throws {
        try fill()
        let other = try bucket.open({ $0.queueBytes = 1_000 }, in: try CacheUnderTest(inMemory: true))
        defer { other.close() }
        let found = try #require(await other.original(Self.picture.original().key)?.entry)
        let before = bucket.state.withLock { $0.reads }
        #expect(await other.body(of: found) == nil)
        #expect(bucket.state.withLock { $0.reads } == before && other.statistics.skipped == 1)
    }

    // MARK: Small originals

    @Test func `a small original is one object, and one read`() async throws {
        let store = try bucket.open(Self.enclose, in: cache)
        let original = Self.original(at: bucket.state.withLock { $0.now })
        store.offer(original, fields: Self.fields, body: Self.body())
        #expect(await store.isWritten(original, tags: []))
        store.close()
        #expect(bucket.state.withLock { Array($0.objects.keys) } == [ObjectName.entry(original.key).text])
        let other = try bucket.open(in: try CacheUnderTest(inMemory: true))
        defer { other.close() }
        let found = try #require(await other.original(original.key))
        #expect(bytes(found.body) == Self.picture.bytes && found.entry.digest == original.digest)
        #expect(bucket.state.withLock { $0.reads } == 1 && other.statistics.hits == 1)
        guard case .file(let file, let length)? = found.body else {
            Issue.record("It is no file.")
            return
        }
        #expect(FileIO.bytes(of: file.raw, at: length, count: 1) == nil, "nothing lies behind the body")
    }

    @Test func `a 304 writes the bytes of a small original again, and nothing where they are gone`()
        async throws
    {
        let store = try bucket.open(Self.enclose, in: cache)
        let (key, name) = (Self.picture.original().key, ObjectName.entry(Self.picture.original().key).text)
        store.offer(confirmed: Self.original(at: Timestamp(seconds: 1)), fields: Self.fields) { Self.body() }
        _ = await store.isWritten(Self.picture.original(), tags: [])
        #expect(bytes(await store.original(key)?.body) == Self.picture.bytes)
        let whole = bucket.state.withLock { $0.objects[name] }
        for lost in [nil, Self.body(Picture(8, length: 5_000))] {
            store.offer(confirmed: Self.original(at: Timestamp(seconds: 2)), fields: Self.fields) { lost }
            #expect(await !store.isWritten(Self.original(at: Timestamp(seconds: 2)), tags: []))
        }
        store.close()
        #expect(bucket.state.withLock { $0.objects[name] } == whole && store.statistics.failedWrites == 2)
    }

    @Test func `an entry with other bytes than its own, or with bytes in the former version, is a miss`()
        async throws
    {
        let original = Self.original(at: bucket.state.withLock { $0.now })
        let name = ObjectName.entry(original.key)
        let entry = SharedOriginal(
            key: original.key, digest: original.digest, length: original.length, lastModified: nil,
            freshness: original.freshness, fields: Self.fields)
        var longer = entry
        longer.length += 1
        let time = Timestamp(seconds: 1)
        func sealed(_ bytes: [UInt8], _ metadata: [UInt8], as name: ObjectName) -> [UInt8] {
            Envelope.seal(bytes, nil, metadata, as: name, at: time)?.bytes ?? []
        }
        let whole = sealed(Self.picture.bytes, entry.metadata, as: name)
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let bad = [
            sealed(Picture(8, length: 5_000).bytes, entry.metadata, as: name),
            sealed(Array(Self.picture.bytes.dropLast()), entry.metadata, as: name),
            sealed(Self.picture.bytes, longer.metadata, as: name),
            sealed(Self.picture.bytes, entry.metadata, as: .entry(OriginalKey(url: "http://host/other"))),
            sealed(Self.picture.bytes, [], as: name),
            EnvelopeTests.firstVersion(Self.picture.bytes, entry.metadata, as: name, at: time),
            Self.picture.bytes, whole + whole, Array(whole.dropLast()), Array(whole.dropFirst()),
        ]
        for object in bad {
            bucket.state.withLock { $0.objects[name.text] = object }
            #expect(await store.original(original.key) == nil)
        }
        #expect(store.statistics.damaged == bad.count)
        bucket.state.withLock { $0.objects[name.text] = whole }
        #expect(bytes(await store.original(original.key)?.body) == Self.picture.bytes)
        // An entry as a node of the former version writes it.
        let bare = EnvelopeTests.firstVersion([], entry.metadata, as: name, at: time)
        bucket.state.withLock { $0.objects[name.text] = bare }
        let found = try #require(await store.original(original.key))
        #expect(found.entry == entry && found.body == nil)
    }
}
