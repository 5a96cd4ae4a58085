// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics
package import Kernel
package import Pipeline

/// The purges of this node that Redis does not have yet, in their order, and the file that keeps them. A line `order …` is
/// appended before a purge is answered, and a line such as `sent 17` once Redis has it. If a crash loses a `sent` line, the purge
/// is delivered twice, and the other nodes recognise its number.
///
/// The number of waiting purges, and the bytes of their names, are limited. Beyond the limits they are merged into one purge,
/// which makes every node revalidate everything before serving it.
///
/// **Isolation:** the owner's; every call may block on the disk.
package struct NewsOutbox: Sendable {
    /// The most purges that wait: about 2 MB.
    package static let limit = 10_000
    /// The most bytes of all their names together. The file's Base64 takes a third more, and the file may grow to twice that
    /// before it is rewritten.
    package static let mostBytes = 16 << 20

    /// The largest file that is read, in bytes; far more than Pictor writes.
    private static let largest = 64 << 20
    /// The numbers that a run remembers to have given, at least.
    private static let mostGiven = 10_000

    private let path: String
    private var node: String
    private let limit: Int
    private let mostBytes: Int
    /// Purges that Redis does not have yet, in the order of their numbers.
    package private(set) var waiting: [PurgeNews] = []
    /// The highest number given so far, whatever became of its purge.
    private var last: UInt64 = 0
    var highest: UInt64 { last }
    /// The highest number that Redis has; all waiting purges have higher ones.
    private var sent: UInt64 = 0
    /// The numbers that this run has given, the latest `mostGiven` at least, in their order. This property and the next three tell
    /// which node, and which run of it, carried out a purge of this name (`gave(_:)`, `isForeign(_:)`).
    private var given: [UInt64] = []
    /// The highest number that an earlier run has given, or this run has given and `given` has no longer.
    private var highestFormer: UInt64 = 0
    /// The numbers that waited in the file when it was read: they are from an earlier run with the same cache.
    private var numbersInFile: Set<UInt64> = []
    /// The numbers that this run gave to purges which it found in another folder (`moveIn(at:)`).
    private var numbersMovedIn: Set<UInt64> = []
    /// True if the file had a line that could not be read, and that may have been any waiting purge.
    package private(set) var isDamaged = false
    /// The size in bytes beyond which the file is rewritten.
    private var largest = 1 << 20
    /// The file's size in bytes after the last write; nil if the file must be rewritten.
    private var size: Int?
    /// The identity of the file that keeps the waiting purges; nil if there is none.
    private var identity: FileIdentity?
    /// Called before each write; true if the disk hangs, so that a write would not return.
    package var diskHangs: @Sendable () -> Bool = { false }

    /// Reads the file. A missing file counts as empty.
    /// - Throws: if the file exists but cannot be read.
    package init(
        path: String, node: String, limit: Int = limit, mostBytes: Int = mostBytes
    ) throws(SystemError) {
        self.path = path
        self.node = node
        (self.limit, self.mostBytes) = (limit, mostBytes)
        identity = FileIdentity(at: path)
        guard let text = try StateFile.read(path, largest: Self.largest) else { return }
        // A last line without a line feed was cut short before its purge was answered. It is ignored, because a shortened prefix
        // would purge more.
        let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        // The highest number in a line that cannot be read.
        var unread: UInt64 = 0
        for line in whole.split(separator: "\n") {
            if let news = PurgeNews(line: line, node: node) {
                if news.number > last { waiting.append(news) }
                last = max(last, news.number)
            } else if line.hasPrefix("sent "), let number = UInt64(line.dropFirst("sent ".count)) {
                (sent, last) = (max(sent, number), max(last, number))
            } else {
                unread = max(unread, Self.number(of: line))
            }
        }
        let sent = sent
        waiting.removeAll { $0.number <= sent }
        isDamaged = unread > sent
        numbersInFile = Set(waiting.map(\.number))
        highestFormer = last
    }

    /// The number of an order that cannot be read; `UInt64.max` if the line is not an order at all.
    private static func number(of line: Substring) -> UInt64 {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "order", let number = UInt64(words[1]) else { return .max }
        return number
    }

    /// The order that replaces an unreadable one, which may have been any purge: nothing is served before its origin has
    /// confirmed it.
    package static var doubt: PurgeOrder {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        return order
    }

    /// True if no purge waits, and a higher number than this was given.
    package func isAhead(of number: UInt64) -> Bool { waiting.isEmpty && last > number }

    /// Starts numbering again under a new name, which no other node has seen. No purge may wait.
    package mutating func begin(as node: String) {
        rename(to: node)
        (last, sent, highestFormer, numbersInFile, size) = (0, 0, 0, [], nil)
    }

    /// Gives later purges another name. Their numbers go on rising, so a number tells this run's purges of both names. No purge may
    /// wait.
    package mutating func rename(to node: String) { self.node = node }

    /// True if this node has already carried out its own purge with this number, so that it can ignore the purge in the stream: the
    /// number was given since the file was read, or waited in the file then.
    ///
    /// Purges that waited in a folder that came back were carried out by an earlier run, before this run took pictures from the
    /// shared store.
    package func gave(_ number: UInt64) -> Bool { !numbersMovedIn.contains(number) && has(number) }

    /// True for a number of this node's name that no run with this file has given. It is from another node that began with a copy of
    /// this one's files, and so has its name; or from a newer file that was replaced, together with the cache, by an older copy.
    ///
    /// False for a number that an earlier run may have given. Another node's numbers follow the clock as well, so later ones tell.
    package func isForeign(_ number: UInt64) -> Bool { number > highestFormer && !given.contains(number) }

    /// True for a number that this run gave, or that waited in its file.
    private func has(_ number: UInt64) -> Bool {
        numbersInFile.contains(number) || given.contains(number)
    }

    private mutating func noteGiven(_ number: UInt64) {
        given.append(number)
        guard given.count > 2 * Self.mostGiven else { return }
        let former = given.prefix(given.count - Self.mostGiven)
        highestFormer = max(highestFormer, former.last ?? 0)
        given = Array(given.suffix(Self.mostGiven))
    }

    /// Makes later numbers higher than this one.
    package mutating func skip(to number: UInt64) { last = max(last, number) }

    /// Adds a purge and writes it to the disk. The purge waits in memory even if the write fails. If another folder's file has
    /// taken the place of this one, the purges that wait there are added first.
    package mutating func add(
        _ order: PurgeOrder, at time: Timestamp
    ) -> (number: UInt64, failure: SystemError?) {
        if isElsewhere { moveIn(at: time) }
        let news = enter(order, at: time)
        do throws(SystemError) {
            try write(news.line, mustLast: true)
            return (news.number, nil)
        } catch {
            return (news.number, error)
        }
    }

    private var isElsewhere: Bool {
        if diskHangs() { return false }
        return FileIdentity(at: path).map { $0 != identity } ?? false
    }

    private mutating func enter(_ order: PurgeOrder, at time: Timestamp) -> PurgeNews {
        // The number also follows the clock, so that no number is given twice if the file is lost.
        last = max(
            last &+ 1, UInt64(clamping: time.milliseconds).multipliedReportingOverflow(by: 1_000).partialValue
        )
        noteGiven(last)
        var news = PurgeNews(
            node: node, number: last, time: time, selection: order.selection, isSoft: order.isSoft)
        news.isStrict = order.isStrict
        if waiting.count >= limit || waiting.reduce(0, { $0 + $1.size }) > mostBytes {
            // The merged purge lets entries stay that their origin confirms, but none is served before that, because some may
            // have been purged hard. The first purge is kept, because it may be on its way to Redis.
            news.selection = .all
            (news.isSoft, news.isStrict) = (true, true)
            waiting = waiting.prefix(1) + [news]
            size = nil
        } else {
            waiting.append(news)
        }
        return news
    }

    /// Notes that Redis has this purge and all purges before it.
    package mutating func markSent(upTo number: UInt64) {
        sent = max(sent, number)
        waiting.removeAll { $0.number <= number }
        // If the line is lost, the purge is delivered twice.
        try? write("sent \(sent)", mustLast: false)
    }

    /// Called when another folder may have taken the place of the file's folder. Adds the purges of an earlier run that wait
    /// there, and writes all waiting purges into that folder. If the write fails, the next purge writes them.
    /// - Parameter now: the time at which the added purges count as ordered.
    package mutating func moveIn(at now: Timestamp) {
        size = nil
        if diskHangs() { return }
        let there = FileIdentity(at: path)
        let isOther = there.map { $0 != identity } ?? false
        identity = there
        let other = try? NewsOutbox(path: path, node: node)
        var orders = other?.waiting.filter { !has($0.number) }.map(\.order) ?? []
        // If another file there cannot be read, any purge may have waited in it. The file is then replaced.
        if other?.isDamaged ?? isOther { orders.append(Self.doubt) }
        for order in orders { numbersMovedIn.insert(enter(order, at: now).number) }
        if !waiting.isEmpty { try? rewrite() }
    }

    private mutating func write(_ line: String, mustLast: Bool) throws(SystemError) {
        if diskHangs() {
            size = nil
            throw SystemError("the disk hangs", code: EIO)
        }
        let text = line + "\n"
        if let known = size, known + text.utf8.count <= largest {
            size = nil
            if try StateFile.append(text, to: path, identity, of: known, mustLast: mustLast) {
                size = known + text.utf8.count
                return
            }
        }
        try rewrite()
    }

    private mutating func rewrite() throws(SystemError) {
        size = nil
        let all = (["sent \(sent)"] + waiting.map(\.line)).map { $0 + "\n" }.joined()
        try StateFile.replace(path, with: all, over: &identity)
        size = all.utf8.count
        largest = max(1 << 20, 2 * all.utf8.count)
    }
}
