// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics
package import Kernel
package import Pipeline

/// This node's purges that Redis does not have yet, in their order, and their file: lines are appended, `order …` before
/// the purge is answered, `sent 17` afterwards. A `sent` that a crash loses means a second delivery, which the others know
/// by its number.
///
/// The number of purges that wait, and the bytes of what they name, are limited. Beyond that they are merged into one, after which
/// everything is revalidated before it is served.
///
/// **Isolation:** its owner's; all of it blocks on the disk.
package struct NewsOutbox: Sendable {
    /// Purges that wait: some 2 MB.
    package static let limit = 10_000
    /// Bytes of what they name, in all. The file has a third more, and twice that before it is written anew.
    package static let mostBytes = 16 << 20

    /// Bytes of a file that is read: far more than any that is written.
    private static let largest = 64 << 20

    private let path: String
    private var node: String
    private let limit: Int
    private let mostBytes: Int
    /// Purges that Redis does not have yet, in the order of their numbers.
    package private(set) var waiting: [PurgeNews] = []
    /// The highest number that was given, whatever became of the purge.
    private var last: UInt64 = 0
    /// The highest number that Redis has; what waits has higher ones.
    private var sent: UInt64 = 0
    /// The first number that this run has given; nil while it has given none. This and the next two tell by whom a purge of this
    /// node was carried out (`gave(_:)`).
    private var firstOfRun: UInt64?
    /// The numbers that waited in the file when it was read: of an earlier run with the same cache.
    private var numbersInFile: Set<UInt64> = []
    /// The numbers that this run gave to purges which it found in another folder (`moveIn(at:)`).
    private var numbersMovedIn: Set<UInt64> = []
    /// True if a line could not be read that may have been any purge which waited.
    package private(set) var isDamaged = false
    /// Bytes of the file beyond which it is written anew.
    private var largest = 1 << 20
    /// Bytes of the file as it was left; nil if it has to be written anew.
    private var size: Int?
    /// The file whose orders wait; nil if there was none.
    private var identity: FileIdentity?
    /// Asked before each write; true if the disk hangs, so that one would not return.
    package var diskHangs: @Sendable () -> Bool = { false }

    /// Reads the file; one that is missing has nothing.
    /// - Throws: if it is there and cannot be read.
    package init(
        path: String, node: String, limit: Int = limit, mostBytes: Int = mostBytes
    ) throws(SystemError) {
        self.path = path
        self.node = node
        (self.limit, self.mostBytes) = (limit, mostBytes)
        identity = FileIdentity(at: path)
        guard let text = try StateFile.read(path, largest: Self.largest) else { return }
        // A last line without its line feed was cut short, before its purge was answered: a part of a prefix means more.
        let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        // The highest number of a line that cannot be read.
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
    }

    /// The number of an order that cannot be read; the highest of all for a line that is no order.
    private static func number(of line: Substring) -> UInt64 {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "order", let number = UInt64(words[1]) else { return .max }
        return number
    }

    /// The order for what cannot be read: it may have been any purge.
    package static var doubt: PurgeOrder {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        return order
    }

    /// True if nothing waits, and numbers were given that are higher than this.
    package func isAhead(of number: UInt64) -> Bool { waiting.isEmpty && last > number }

    /// Starts to number again, under a new name that no other node has seen. Nothing may wait.
    package mutating func begin(as node: String) {
        self.node = node
        (last, sent, firstOfRun, numbersInFile, size) = (0, 0, nil, [], nil)
    }

    /// True if this node has carried out the purge of its own with this number, so that it need not do so when the stream brings
    /// it: the number was given since the file was read, or waited in it then.
    ///
    /// Any other number of this node may come from a newer file, which was replaced by an older copy together with the cache. Purges
    /// that waited in a folder which came back were carried out by another run, before this one took pictures from the shared store.
    package func gave(_ number: UInt64) -> Bool { !numbersMovedIn.contains(number) && has(number) }

    /// True for a number of this run, or of its file.
    private func has(_ number: UInt64) -> Bool {
        numbersInFile.contains(number) || firstOfRun.map { number >= $0 } ?? false
    }

    /// Gives no number again up to this one.
    package mutating func skip(to number: UInt64) { last = max(last, number) }

    /// Adds a purge, and returns once it is on disk. It waits even if that fails. If another folder's file has come into the place
    /// of this one, the purges that wait in it are added before.
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
        // By the clock as well, so that no number comes again where the file was lost.
        last = max(
            last &+ 1, UInt64(clamping: time.milliseconds).multipliedReportingOverflow(by: 1_000).partialValue
        )
        firstOfRun = firstOfRun ?? last
        var news = PurgeNews(
            node: node, number: last, time: time, selection: order.selection, isSoft: order.isSoft)
        news.isStrict = order.isStrict
        if waiting.count >= limit || waiting.reduce(0, { $0 + $1.size }) > mostBytes {
            // An entry that is the same at its origin is kept, but not served before: some may have been purged hard. The
            // first one may be under way.
            news.selection = .all
            (news.isSoft, news.isStrict) = (true, true)
            waiting = waiting.prefix(1) + [news]
            size = nil
        } else {
            waiting.append(news)
        }
        return news
    }

    /// Notes that Redis has the purge with this number, and all before it.
    package mutating func markSent(upTo number: UInt64) {
        sent = max(sent, number)
        waiting.removeAll { $0.number <= number }
        // If the line is lost, the purge is delivered twice.
        try? write("sent \(sent)", mustLast: false)
    }

    /// Called when another folder has taken the place of the file's: adds the purges of an earlier run that wait there, and writes
    /// all that wait into it. If that fails, the next purge writes them.
    /// - Parameter now: the time at which the added purges count as ordered.
    package mutating func moveIn(at now: Timestamp) {
        size = nil
        if diskHangs() { return }
        let there = FileIdentity(at: path)
        let isOther = there.map { $0 != identity } ?? false
        identity = there
        let other = try? NewsOutbox(path: path, node: node)
        var orders = other?.waiting.filter { !has($0.number) }.map(\.order) ?? []
        // Any purge may have waited in another file that cannot be read, and is replaced.
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
