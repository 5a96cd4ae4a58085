// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import Glibc
import HTTPSemantics
import Kernel
import Pipeline
import RandomInputs
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("What a node remembers of the news")
struct NewsRecordTests {
    private let folder = TemporaryFolder()
    private let node = String(repeating: "ab", count: 16)
    private let time = Timestamp(milliseconds: 1_732_545_257_000)

    private static let orders: [PurgeOrder] = [
        PurgeOrder(.url(OriginalKey(url: "http://a.example/é b.png?x=1"))),
        PurgeOrder(.prefix("https://a.example/x"), isSoft: true), PurgeOrder(.host("[::1]")),
        PurgeOrder(.tag("a tag\nwith lines"), isSoft: true), PurgeOrder(.all),
    ]

    private func outbox(limit: Int = 100) throws -> NewsOutbox {
        try NewsOutbox(path: folder.path + "/outbox", node: node, limit: limit)
    }

    @Test func `long orders become one before there are many`() throws {
        var outbox = try NewsOutbox(path: folder.path + "/outbox", node: node, mostBytes: 1_000)
        let order = PurgeOrder(.tag(String(repeating: "x", count: 100)))
        for _ in 0..<20 { _ = outbox.add(order, at: time) }
        let later = [PurgeSelection](repeating: order.selection, count: 8)
        #expect(outbox.waiting.map(\.selection) == [order.selection, .all] + later)
        #expect(outbox.waiting[1].isStrict)
        #expect(try self.outbox().waiting == outbox.waiting)
    }

    @Test func `every order is read back from an entry`() {
        for (index, order) in Self.orders.enumerated() {
            var news = PurgeNews(
                node: node, number: UInt64(index), time: time, selection: order.selection,
                isSoft: order.isSoft)
            news.isStrict = news.isSoft && index > 2
            #expect(PurgeNews(fields: news.fields.map { .text(Array($0.utf8)) }) == news)
            #expect(news.order.selection == order.selection && news.order.isSoft == order.isSoft)
            #expect(
                news.order.isStrict == news.isStrict && PurgeNews(line: news.line[...], node: node) == news)
            #expect(news.order.isRelayed && news.order.time == time)
            for index in news.fields.indices {
                var fields = news.fields.map { RedisReply.text(Array($0.utf8)) }
                fields[index] = .text([0xFF])
                #expect(PurgeNews(fields: fields) == nil || index == 13)
                fields.remove(at: index)
                #expect(PurgeNews(fields: fields) == nil)
            }
        }
    }

    @Test func `the outbox keeps order and numbers over a restart, without what was sent`() throws {
        var outbox = try outbox()
        let numbers = Self.orders.map { order in
            let (number, failure) = outbox.add(order, at: time)
            #expect(failure == nil)
            return number
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        var again = try self.outbox()
        #expect(again.waiting == outbox.waiting)
        #expect(again.waiting.map(\.selection) == Self.orders.map(\.selection))
        again.markSent(upTo: numbers[1])
        #expect(try self.outbox().waiting.map(\.number) == Array(numbers[2...]))
        again.markSent(upTo: numbers[4])
        var last = try self.outbox()
        #expect(last.waiting.isEmpty)
        // The numbers rise even if the clock was set back.
        #expect(last.add(Self.orders[0], at: Timestamp(milliseconds: 5)).number > numbers[4])
    }

    @Test func `an order waits in memory for Redis while the disk hangs, and is written once that answers`()
        throws
    {
        let hangs = Atomic(true)
        var outbox = try outbox()
        outbox.diskHangs = { hangs.load(ordering: .relaxed) }
        let (first, failure) = outbox.add(Self.orders[0], at: time)
        #expect(failure == SystemError("the disk hangs", code: EIO))
        #expect(outbox.waiting.map(\.number) == [first])
        outbox.markSent(upTo: first)
        let (second, _) = outbox.add(Self.orders[1], at: time)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/outbox"))
        hangs.store(false, ordering: .relaxed)
        let (third, error) = outbox.add(Self.orders[2], at: time)
        #expect(error == nil)
        #expect(try self.outbox().waiting.map(\.number) == [second, third])
    }

    @Test func `a number that neither this run nor one before it can have given is another node's`() throws {
        var outbox = try outbox()
        let first = outbox.add(Self.orders[0], at: time).number
        let second = outbox.add(Self.orders[0], at: time.adding(seconds: 60)).number
        outbox.skip(to: second + 1)
        for number in [first, second] { #expect(outbox.gave(number) && !outbox.isForeign(number)) }
        for number in [first - 1, first + 1, second - 1, second + 1] {
            #expect(!outbox.gave(number) && outbox.isForeign(number))
        }
        outbox.markSent(upTo: second)
        let again = try self.outbox()
        for number in [first, first + 1, second] {
            #expect(!again.gave(number) && !again.isForeign(number))
        }
        #expect(again.isForeign(second + 1))
    }

    @Test func `of very many numbers the lowest count as those of a run before`() throws {
        var outbox = try outbox(limit: 1)
        outbox.diskHangs = { true }
        let first = outbox.add(Self.orders[0], at: time).number
        for _ in 0..<20_000 { _ = outbox.add(Self.orders[0], at: time) }
        #expect(!outbox.gave(first) && !outbox.isForeign(first))
        for later in [10_001, 20_000] as [UInt64] { #expect(outbox.gave(first + later)) }
        #expect(outbox.isForeign(first + 20_001))
    }

    @Test func `another folder in the place of the outbox's gets what waits`() throws {
        var outbox = try outbox()
        let (first, _) = outbox.add(Self.orders[0], at: time)
        outbox.markSent(upTo: first)
        let path = folder.path + "/outbox"
        try FileManager.default.removeItem(atPath: path)
        outbox.moveIn(at: time)
        #expect(!FileManager.default.fileExists(atPath: path), "nothing waits")
        _ = outbox.add(Self.orders[1], at: time)
        try FileManager.default.removeItem(atPath: path)
        outbox.moveIn(at: time)
        #expect(try self.outbox().waiting == outbox.waiting && outbox.waiting.count == 1)
        #expect(outbox.add(Self.orders[2], at: time).failure == nil)
        #expect(try self.outbox().waiting == outbox.waiting)
    }

    @Test func `orders that wait in a folder which comes back go out as well, and once`() throws {
        let later = Timestamp(milliseconds: time.milliseconds + 60_000)
        let (path, away) = (folder.path + "/outbox", folder.path + "/away")
        var former = try self.outbox()
        for order in Self.orders[..<2] { _ = former.add(order, at: time) }
        #expect(rename(path, away) == 0)
        // A start without the file.
        var outbox = try self.outbox()
        _ = outbox.add(Self.orders[2], at: later)
        #expect(rename(away, path) == 0)
        for _ in 0..<2 {
            outbox.moveIn(at: later)
            #expect(outbox.waiting.map(\.selection) == [2, 0, 1].map { Self.orders[$0].selection })
            #expect(outbox.waiting.map(\.isSoft) == [false, false, true])
            let numbers = outbox.waiting.map(\.number)
            #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
            #expect(numbers.map { outbox.gave($0) } == [true, false, false])
            #expect(try self.outbox().waiting == outbox.waiting)
        }
        try "whatever\n".write(toFile: path, atomically: true, encoding: .utf8)
        outbox.moveIn(at: later)
        #expect(outbox.waiting.count == 4 && outbox.waiting.last?.selection == .all)
        #expect(outbox.waiting.last?.isStrict == true)
        let again = try self.outbox()
        #expect(again.waiting == outbox.waiting && !again.isDamaged)
    }

    @Test func `nothing is lost of a folder whose coming is not noticed yet`() throws {
        let later = Timestamp(milliseconds: time.milliseconds + 60_000)
        let (path, away) = (folder.path + "/outbox", folder.path + "/away")
        var former = try self.outbox()
        _ = former.add(Self.orders[0], at: time)
        #expect(rename(path, away) == 0)
        var outbox = try self.outbox()
        let (first, _) = outbox.add(Self.orders[1], at: later)
        _ = outbox.add(Self.orders[2], at: later)
        // The other file is kept under another name, so that its inode number is not used again.
        #expect(link(path, folder.path + "/kept") == 0 && rename(away, path) == 0)
        outbox.markSent(upTo: first)
        #expect(try self.outbox().waiting == former.waiting)
        #expect(outbox.add(Self.orders[3], at: later).failure == nil)
        #expect(outbox.waiting.map(\.selection) == [2, 0, 3].map { Self.orders[$0].selection })
        #expect(try self.outbox().waiting == outbox.waiting)
    }

    @Test func `any purge may have waited in another folder's outbox that cannot be read`() throws {
        let later = Timestamp(milliseconds: time.milliseconds + 60_000)
        let path = folder.path + "/outbox"
        var outbox = try self.outbox()
        _ = outbox.add(Self.orders[0], at: time)
        // The former file is kept under another name, so that its inode number is not used again.
        #expect(rename(path, folder.path + "/kept") == 0 && symlink("nowhere", path) == 0)
        #expect(outbox.add(Self.orders[1], at: later).failure == nil)
        #expect(
            outbox.waiting.map(\.selection) == [Self.orders[0].selection, .all, Self.orders[1].selection])
        #expect(outbox.waiting[1].isStrict && outbox.waiting[1].isSoft)
        #expect(try self.outbox().waiting == outbox.waiting)
    }

    @Test func `the outbox is written in a folder that a symbolic link leads to, as that of a unit`() throws {
        let (target, link) = (folder.path + "/private", folder.path + "/cache")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        var outbox = try NewsOutbox(path: link + "/outbox", node: node)
        for order in Self.orders { #expect(outbox.add(order, at: time).failure == nil) }
        #expect(try NewsOutbox(path: target + "/outbox", node: node).waiting == outbox.waiting)
    }

    @Test func `the outbox knows what it gave since it was read, and what waited then`() throws {
        var outbox = try outbox()
        let numbers = (0..<3).map { _ in outbox.add(Self.orders[0], at: time).number }
        outbox.markSent(upTo: numbers[0])
        var again = try self.outbox()
        #expect(numbers.map { again.gave($0) } == [false, true, true])
        again.skip(to: numbers[2] + 10)
        let next = again.add(Self.orders[0], at: time).number
        #expect(next == numbers[2] + 11 && again.gave(next) && !again.gave(next - 1))
    }

    @Test func `a line that was cut short is passed over`() throws {
        var outbox = try outbox()
        for order in Self.orders { _ = outbox.add(order, at: time) }
        let path = folder.path + "/outbox"
        let text = try #require(try? String(contentsOfFile: path, encoding: .utf8))
        for count in 0..<text.count {
            let rest = text.prefix(count)
            try String(rest).write(toFile: path, atomically: true, encoding: .utf8)
            let lines = rest.count { $0 == "\n" }
            // The first line is a `sent` line.
            #expect(try self.outbox().waiting == Array(outbox.waiting.prefix(max(0, lines - 1))), "\(count)")
        }
    }

    @Test(arguments: [
        ("", false), ("sent 3\n", false), ("order 3 1 hard ho\u{0}t aG9zdA\n", true), ("order 3 1\n", true),
        ("sent 2\norder 3 1 hard later bGF0ZXI\n", true), ("order 3 1 hard later bGF0ZXI\nsent 3\n", false),
        ("sent 3\nwhatever\n", true), ("sent 3\nwhatever", false),
    ])
    func `a whole line that cannot be read may have been any purge`(text: String, isDamaged: Bool) throws {
        try text.write(toFile: folder.path + "/outbox", atomically: true, encoding: .utf8)
        let outbox = try outbox()
        #expect(outbox.isDamaged == isDamaged && outbox.waiting.isEmpty)
    }

    @Test func `an outbox that is full becomes one order for everything`() throws {
        var outbox = try outbox(limit: 3)
        for _ in 0..<4 { _ = outbox.add(Self.orders[0], at: time) }
        #expect(outbox.waiting.map(\.selection) == [Self.orders[0].selection, .all])
        // The merged purge is strict, because some of the purges may have been hard.
        #expect(outbox.waiting.last?.order.isSoft == true && outbox.waiting.last?.order.isStrict == true)
        #expect(try self.outbox(limit: 3).waiting == outbox.waiting)
    }

    @Test func `the file does not grow with what was sent`() throws {
        var outbox = try outbox()
        let long = PurgeOrder(.prefix("http://a.example/" + String(repeating: "a", count: 8_000)))
        for _ in 0..<300 { outbox.markSent(upTo: outbox.add(long, at: time).number) }
        let text = try String(contentsOfFile: folder.path + "/outbox", encoding: .utf8)
        #expect(text.utf8.count < 2 << 20 && outbox.waiting.isEmpty)
    }

    @Test func `the record is read back, and a damaged one is none`() throws {
        var record = NewsRecord(node: NewsRecord.randomNode())
        #expect(NewsRecord(text: record.text) == record)
        record.position = .at(StreamID(milliseconds: 5, sequence: 7))
        #expect(record.note(node, 17) && !record.note(node, 17))
        // The purge of a copy of that node, which comes late.
        #expect(!record.knows(node, 3) && record.note(node, 3) && record.knows(node, 3))
        #expect(record.note(node, 18) && record.knows(node, 18) && !record.knows(node, 19))
        #expect(NewsRecord(text: record.text) == record)
        // After a restart, nobody knows whether entries behind the position were trimmed.
        var other = record
        other.position = .after(.start)
        let read = try #require(NewsRecord(text: other.text))
        #expect(read.position == nil)
        for count in 0..<record.text.count - 1 {
            #expect(NewsRecord(text: String(record.text.prefix(count))) == nil)
        }
    }

    @Test func `as many purges are remembered as there is room for`() {
        var record = NewsRecord(node: node)
        for number in 0..<1_500 {
            let digits = String(number, radix: 16)
            _ = record.note(String(repeating: "0", count: 32 - digits.count) + digits, 1)
        }
        #expect(record.text.split(separator: "\n").count < 1_010)
        #expect(!record.knows(String(repeating: "0", count: 32), 1))
    }

    @Test func `nothing that stands in a stream ends the reader`() {
        var random = SeededRandom(for: "whatever stands in a stream")
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let reply = RedisReply.list([.list([.text(bytes), .list([.text(bytes), .none, .number(3)])])])
            #expect(StreamEntry.list(reply) == nil || StreamID(String(decoding: bytes, as: UTF8.self)) != nil)
        }
        #expect(StreamID("1-2") == StreamID(milliseconds: 1, sequence: 2))
        for wrong in ["", "1", "1-", "-1", "1-2-3", "x-1", "99999999999999999999-1"] {
            #expect(StreamID(wrong) == nil)
        }
        #expect(StreamID(milliseconds: 1, sequence: 9).time == Timestamp(milliseconds: 1))
        #expect(StreamID(milliseconds: .max, sequence: 0).time == Timestamp(milliseconds: .max))
        #expect(StreamID(milliseconds: 1, sequence: 9) < StreamID(milliseconds: 2, sequence: 0))
    }
}
