// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
import Kernel
import Pipeline
import SourceURLs
@testable import Stores
import Synchronization
import Testing

@Suite struct PurgeRecordTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    private func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://host/\(number)") }

    @Test func `marks outlive the process, whatever is behind the last whole line`() throws {
        let cache = try CacheUnderTest()
        let path = cache.folder + "/shared-purges"
        let first = try PurgeRecord(path: path, now: { time(5_000) })
        try first.add([.init(subject: .originals(.url(key(1))), time: time(1_000))])
        try first.add([.init(subject: .renditions(Picture(1).source), time: time(1_000))])
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("1000 hard ur".utf8))
        let second = try PurgeRecord(path: path, now: { time(5_000) })
        try second.add([.init(subject: .originals(.host("other")), time: time(1_000))])
        let third = try PurgeRecord(path: path, now: { time(5_000) })
        #expect(third.verdict(on: key(1), tags: [], from: time(1)) == .isPurged)
        #expect(
            third.verdict(on: OriginalKey(url: "http://other/"), tags: [], from: time(1)) == .isPurged)
        #expect(third.verdict(on: key(2), tags: [], from: time(1)) == .holds)
        #expect(third.hasPurged(renditionsOf: Picture(1).source, from: time(1)))
    }

    @Test func `marks beyond the limit stay in force over a restart`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let path = cache.folder + "/shared-purges"
        let first = try PurgeRecord(path: path, now: { time(5_000) })
        let marks = (0...PurgeRecord.limit).map { number in
            PurgeMarks.Mark(
                subject: .originals(.url(key(number))), time: time(Int64(1_000 + number)))
        }
        try first.add(marks)
        let second = try PurgeRecord(path: path, now: { time(5_000) })
        for record in [first, second] {
            #expect(
                record.verdict(on: OriginalKey(url: "http://x/"), tags: [], from: time(1_000))
                    == .isPurged)
            #expect(
                record.verdict(on: OriginalKey(url: "http://x/"), tags: [], from: time(9_000)) == .holds)
            #expect(record.verdict(on: key(10_000), tags: [], from: time(10_500)) == .isPurged)
        }
    }

    @Test func `a mark that cannot be written is an error, and counts all the same`() throws {
        let cache = try CacheUnderTest()
        let record = try PurgeRecord(path: cache.folder + "/none/shared-purges", now: { time(5_000) })
        #expect(throws: SystemError.self) {
            try record.add([.init(subject: .originals(.all), time: time(1_000))])
        }
        #expect(record.verdict(on: key(1), tags: [], from: time(1)) == .isPurged)
    }

    @Test(
        arguments: [
            // The clocks agree, and an order is carried out late.
            (1_000, 1_000, 1_000, 1_000), (500, 500, 10_000, 500),
            // One clock is wrong: the ordering node's, Redis's, or this node's.
            (9_000_000_000, 1_000, 1_001, 1_001), (5, 1_000, 1_001, 1_000),
            (1_000, 9_000_000_000, 1_001, 1_001),
            (10_000, 10_001, 2_800, 10_000),
            // Two clocks are wrong.
            (9_000_000_000, 9_000_000_000, 1_000, 87_400),
            // Orders to have everything confirmed, and orders without a fleet.
            (nil, 10_000, 2_800, 10_000), (nil, 500, 10_000, 10_000), (nil, nil, 1_000, 1_000),
            (9_000_000_000, nil, 1_000, 1_000), (500, nil, 1_000, 500),
        ] as [(Int64?, Int64?, Int64, Int64)])
    func `one clock that is wrong moves no mark`(ordered: Int64?, announced: Int64?, now: Int64, mark: Int64)
    {
        var order = PurgeOrder(.all)
        (order.time, order.announced) = (ordered.map { time($0) }, announced.map { time($0) })
        #expect(PurgeMarks.time(of: order, now: time(now)) == time(mark))
    }

    @Test func `a mark that could not be written is written once it can be`() throws {
        let cache = try CacheUnderTest()
        let (folder, path) = (cache.folder + "/late", cache.folder + "/late/shared-purges")
        func make() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        func verdict(_ number: Int) throws -> PurgeMarks.Verdict {
            try PurgeRecord(path: path, now: { time(5_000) })
                .verdict(on: key(number), tags: [], from: time(1))
        }
        func mark(_ number: Int) -> PurgeMarks.Mark {
            .init(subject: .originals(.url(key(number))), time: time(1_000))
        }
        try make()
        let record = try PurgeRecord(path: path, now: { time(5_000) })
        try record.add([mark(1)])
        try FileManager.default.moveItem(atPath: folder, toPath: cache.folder + "/away")
        #expect(throws: SystemError.self) { try record.add([mark(2)]) }
        #expect(throws: SystemError.self) { try record.settle() }
        try make()
        try record.settle()
        #expect(try verdict(1) == .isPurged && verdict(2) == .isPurged && verdict(3) == .holds)
        // It is not lost either if the file is the old one and only lacks that mark.
        try FileManager.default.moveItem(atPath: path, toPath: cache.folder + "/kept")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try record.add([mark(3)]) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: cache.folder + "/kept", toPath: path)
        try record.add([mark(4)])
        #expect(try verdict(2) == .isPurged && verdict(3) == .isPurged && verdict(4) == .isPurged)
    }

    @Test func `marks that fell off, and are still in the file, have no later ones fall off`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let path = cache.folder + "/shared-purges"
        let record = try PurgeRecord(path: path, now: { time(50_000) })
        func add(_ numbers: Range<Int>) throws {
            let marks = numbers.map { number in
                PurgeMarks.Mark(
                    subject: .originals(.url(key(number))), time: time(Int64(1_000 + number)))
            }
            try record.add(marks)
        }
        try add(0..<PurgeRecord.limit)
        // A tenth of the marks is dropped, but stays in the file.
        try add(PurgeRecord.limit..<PurgeRecord.limit + 500)
        let other = OriginalKey(url: "http://x/")
        func verdict(_ seconds: Int64) -> PurgeMarks.Verdict {
            record.verdict(on: other, tags: [], from: time(seconds))
        }
        #expect(verdict(1_999) == .isPurged && verdict(2_010) == .holds)
        record.noteMoved()
        try record.settle()
        #expect(verdict(1_999) == .isPurged && verdict(2_010) == .holds)
        #expect(record.verdict(on: key(PurgeRecord.limit), tags: [], from: time(2_010)) == .isPurged)
    }

    @Test func `what is purged is known while the disk still takes its time`() throws {
        let cache = try CacheUnderTest()
        let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let inTime = Atomic(0)
        let record = try PurgeRecord(path: cache.folder + "/shared-purges", now: { time(5_000) }) { _ in
            asked.signal()
            // The wait ends without an answer after a while, so that a failing test ends, too.
            if answered.wait(timeout: .now() + 60) == .success { inTime.add(1, ordering: .relaxed) }
            return 0
        }
        Thread.detachNewThread {
            // The file is rewritten for the first mark, and appended to for the second.
            for number in 1...2 {
                asked.wait()
                if record.verdict(on: key(number), tags: [], from: time(1)) == .isPurged { answered.signal() }
            }
        }
        for number in 1...2 {
            try record.add([.init(subject: .originals(.url(key(number))), time: time(1_000))])
        }
        #expect(inTime.load(ordering: .relaxed) == 2)
    }

    @Test(arguments: [1, 2_000])
    func `what is noted counts at once, and is written by the next that settles`(count: Int) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let path = cache.folder + "/shared-purges"
        func isPurged(_ number: Int) throws -> Bool {
            try PurgeRecord(path: path, now: { time(5_000) })
                .verdict(on: key(number), tags: [], from: time(1)) == .isPurged
        }
        let record = try PurgeRecord(path: path, now: { time(5_000) })
        for number in 1...count {
            record.note([.init(subject: .originals(.url(key(number))), time: time(1_000))])
        }
        #expect(record.verdict(on: key(count), tags: [], from: time(1)) == .isPurged)
        #expect(try !isPurged(count))
        try record.settle()
        #expect(try isPurged(1) && isPurged(count))
    }

    @Test func `a flush that fails is an error`() throws {
        let cache = try CacheUnderTest()
        let isBroken = Atomic(false)
        let record = try PurgeRecord(path: cache.folder + "/shared-purges", now: { time(5_000) }) { _ in
            errno = EIO
            return isBroken.load(ordering: .relaxed) ? -1 : 0
        }
        let mark = PurgeMarks.Mark(subject: .originals(.url(key(1))), time: time(1_000))
        try record.add([mark])
        isBroken.store(true, ordering: .relaxed)
        #expect(throws: SystemError("fdatasync", code: EIO)) { try record.add([mark]) }
        isBroken.store(false, ordering: .relaxed)
        try record.add([mark])
    }

    @Test func `marks of many threads are all in the file`() async throws {
        let cache = try CacheUnderTest(inMemory: true)
        let path = cache.folder + "/shared-purges"
        let record = try PurgeRecord(path: path, now: { time(5_000) })
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<50 {
                try? record.add([
                    .init(
                        subject: .originals(.url(key(thread * 50 + number))), time: time(1_000))
                ])
            }
        }
        let again = try PurgeRecord(path: path, now: { time(5_000) })
        for record in [record, again] {
            #expect(
                (0..<400).allSatisfy {
                    record.verdict(on: key($0), tags: [], from: time(1)) == .isPurged
                })
        }
        #expect(!again.isDamaged && again.verdict(on: key(400), tags: [], from: time(1)) == .holds)
    }

    @Test func `a line that cannot be read may have been any purge`() throws {
        let cache = try CacheUnderTest()
        let path = cache.folder + "/shared-purges"
        try Data("1000000 hard ho\u{0}t aG9zdA\n1000000 hard host b3RoZXI\n".utf8).write(
            to: URL(filePath: path))
        try date(path, time(5_000))
        let record = try PurgeRecord(path: path, now: { time(5_000) })
        #expect(record.isDamaged)
        // The mark is kept, and the damage is repaired.
        let again = try PurgeRecord(path: path, now: { time(99_000) })
        #expect(!again.isDamaged)
        for record in [record, again] {
            #expect(record.verdict(on: key(1), tags: [], from: time(4_999)) == .isPurged)
            #expect(record.hasPurged(renditionsOf: Picture(1).source, from: time(4_999)))
            #expect(record.verdict(on: key(1), tags: [], from: time(6_000)) == .holds)
        }
    }

    @Test func `such a line is of no earlier purge by a clock that has not been set yet`() throws {
        let cache = try CacheUnderTest()
        let path = cache.folder + "/shared-purges"
        try Data("1000000 hard ho\u{0}t aG9zdA\n".utf8).write(to: URL(filePath: path))
        try date(path, time(1_700_000_000))
        let record = try PurgeRecord(path: path, now: { time(7) })
        #expect(record.isDamaged)
        #expect(record.verdict(on: key(1), tags: [], from: time(1_699_999_999)) == .isPurged)
        #expect(record.verdict(on: key(1), tags: [], from: time(1_700_001_000)) == .holds)
    }

    /// Sets the file's modification time.
    private func date(_ path: String, _ time: Timestamp) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(time.seconds))], ofItemAtPath: path)
    }

    @Test func `a mark of the future is one of now, unless the clock may be behind`() throws {
        let cache = try CacheUnderTest()
        let path = cache.folder + "/shared-purges"
        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let first = try PurgeRecord(path: path, now: { now })
        try first.add([.init(subject: .originals(.all), time: now.adding(seconds: 2_000_000_000))])
        let later = now.adding(seconds: 3_600)
        #expect(first.verdict(on: key(1), tags: [], from: later) == .isPurged)
        let second = try PurgeRecord(path: path, now: { now })
        #expect(second.verdict(on: key(1), tags: [], from: now) == .isPurged)
        #expect(second.verdict(on: key(1), tags: [], from: later) == .holds)
        // Also with a clock in 1970, because the file is from now.
        let third = try PurgeRecord(path: path, now: { time(0) })
        #expect(third.verdict(on: key(1), tags: [], from: now) == .isPurged)
        #expect(third.verdict(on: key(1), tags: [], from: later) == .holds)
        // Also if such a clock wrote the file.
        try date(path, time(7))
        let fourth = try PurgeRecord(path: path, now: { time(9) })
        #expect(fourth.verdict(on: key(1), tags: [], from: now) == .isPurged)
    }

    @Test func `a file that is far too large, or none, is refused`() throws {
        let cache = try CacheUnderTest()
        let large = cache.folder + "/large"
        #expect(FileManager.default.createFile(atPath: large, contents: nil))
        #expect(truncate(large, 200 << 30) == 0)
        #expect(throws: SystemError("read", code: EFBIG)) {
            _ = try PurgeRecord(path: large, now: { time(5_000) })
        }
        let pipe = cache.folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: SystemError.self) { _ = try PurgeRecord(path: pipe, now: { time(5_000) }) }
    }
}
