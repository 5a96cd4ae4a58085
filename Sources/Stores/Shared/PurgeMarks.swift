// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// This node's purges, with their times, so that it does not read a purged entry back from a store that still has it.
///
/// An entry of the store counts as purged if it was fetched, confirmed or made before the purge. Objects carry the clock of
/// the node that wrote them, so everything until `margin` later counts as well; that costs a miss.
///
/// There is room for so many marks, and for so much that they name: another node's orders come by Redis, where a stranger may
/// write. Beyond, the oldest fall off, and everything before them counts as purged. Doubts have a tenth of it beside, see
/// `DoubtMarks`.
struct PurgeMarks: Sendable {
    /// Milliseconds by which the clocks of nodes may differ.
    static let margin: Int64 = 5_000
    /// Milliseconds by which Redis's clock is believed to be ahead of ours.
    private static let furthest: Int64 = 86_400_000
    /// Bytes of the names in all marks: far more than ten thousand usual URLs have, and a third of the bytes that are
    /// read of the file.
    static let mostBytes = 16 << 20

    /// One mark.
    struct Mark: Sendable, Hashable {
        enum Subject: Sendable, Hashable {
            case originals(PurgeSelection)
            /// The renditions of these bytes.
            case renditions(OriginalDigest)
        }

        var subject: Subject
        /// When it was purged.
        var time: Timestamp
        /// True if it is only to be confirmed by its origin.
        var isSoft = false
        /// True if its answer may have been another URL's (`DoubtMarks`); it is hard then.
        var isDoubt = false

        /// Bytes of the name in it.
        var size: Int {
            switch subject {
            case .originals(let selection): selection.words.name.utf8.count
            case .renditions: 0
            }
        }
    }

    enum Verdict: Sendable, Hashable {
        case holds
        /// Purged softly: to be confirmed.
        case isStale
        case isPurged
    }

    /// The times of the last purges of one name, hard and soft: a later mark makes an earlier one needless.
    private struct Times: Sendable {
        var hard: Timestamp?
        var soft: Timestamp?

        mutating func note(_ mark: Mark) {
            if mark.isSoft {
                soft = max(mark.time, soft ?? mark.time)
            } else {
                hard = max(mark.time, hard ?? mark.time)
            }
        }
    }

    private let limit: Int
    private let mostBytes: Int
    /// Those of no doubts, in the order of adding, or of their times.
    private(set) var marks: [Mark] = []
    private var doubts: DoubtMarks
    /// Bytes of the names in them.
    private(set) var bytes = 0
    // The times of the marks by their names, so that a read of the store looks at few of them.
    private var urls: [String: Times] = [:]
    private var tags: [String: Times] = [:]
    /// By the bytes of a host.
    private var hosts: [[UInt8]: Times] = [:]
    /// By the bytes of a prefix; these are searched one by one.
    private var prefixes: [[UInt8]: Times] = [:]
    private var digests: [OriginalDigest: Timestamp] = [:]
    /// Everything until then is to be confirmed.
    private var softFloor: Timestamp?
    /// Everything until then counts as purged.
    private(set) var floor = Timestamp(milliseconds: .min)

    init(limit: Int, mostBytes: Int = PurgeMarks.mostBytes) {
        (self.limit, self.mostBytes) = (limit, mostBytes)
        doubts = DoubtMarks(limit: max(1, limit / 10), mostBytes: mostBytes / 10)
    }

    /// The marks that count, but for `floor`.
    var all: [Mark] { marks + doubts.marks }

    mutating func add(_ mark: Mark) {
        if mark.isDoubt {
            floor = max(floor, doubts.add(mark) ?? floor)
            return
        }
        marks.append(mark)
        bytes += mark.size
        enter(mark)
        guard marks.count > limit || bytes > mostBytes else { return }
        // Those of a file that is read late are older, and would have the newest fall off, with everything before them.
        marks.sort { $0.time < $1.time }
        // A tenth at a time, so that not each purge makes everything anew.
        while marks.count > limit || bytes > mostBytes {
            let dropped = marks.prefix(max(1, min(limit, marks.count) / 10))
            floor = max(floor, dropped.map(\.time).max() ?? floor)
            bytes -= dropped.reduce(0) { $0 + $1.size }
            marks.removeFirst(dropped.count)  // Cannot trap: as many as `prefix` has found.
        }
        (urls, tags, hosts, prefixes, digests, softFloor) = ([:], [:], [:], [:], [:], nil)
        for mark in marks { enter(mark) }
    }

    private mutating func enter(_ mark: Mark) {
        switch mark.subject {
        case .originals(.url(let key)): urls[key.url, default: Times()].note(mark)
        case .originals(.tag(let tag)): tags[tag, default: Times()].note(mark)
        case .originals(.host(let host)):
            let bytes = Array(host.utf8)
            if Self.host(of: "http://\(host)/") == bytes {
                hosts[bytes, default: Times()].note(mark)
            } else {
                // No URL has such a host, and what begins so is meant all the same.
                for prefix in PurgeSelection.host(host).prefixes {
                    prefixes[Array(prefix.utf8), default: Times()].note(mark)
                }
            }
        case .originals(.prefix(let prefix)): prefixes[Array(prefix.utf8), default: Times()].note(mark)
        case .originals(.all):
            if mark.isSoft {
                softFloor = max(mark.time, softFloor ?? mark.time)
            } else {
                floor = max(floor, mark.time)
            }
        case .renditions(let digest): digests[digest] = max(mark.time, digests[digest] ?? mark.time)
        }
    }

    /// About an original that its origin gave or confirmed at `time`.
    func verdict(on key: OriginalKey, tags: [String], from time: Timestamp) -> Verdict {
        func covers(_ mark: Timestamp?) -> Bool { mark.map { Self.covers($0, time) } ?? false }
        var isStale = covers(softFloor)
        func isPurged(_ times: Times?) -> Bool {
            if covers(times?.soft) { isStale = true }
            return covers(times?.hard)
        }
        if covers(floor) || isPurged(urls[key.url]) || covers(doubts.time(of: key.url)) { return .isPurged }
        if let host = Self.host(of: key.url), isPurged(hosts[host]) { return .isPurged }
        for tag in tags where isPurged(self.tags[tag]) { return .isPurged }
        for (prefix, times) in prefixes where covers(times.hard) || covers(times.soft) {
            if key.url.utf8.starts(with: prefix), isPurged(times) { return .isPurged }
        }
        return isStale ? .isStale : .holds
    }

    /// The bytes of a URL up to the slash or the colon behind its host, or behind the name of its bucket or folder; nil if it has
    /// none.
    private static func host(of url: String) -> [UInt8]? {
        let schemes = ["http://", "https://", "s3://", "azure://", "file://"]
        guard let scheme = schemes.first(where: { url.utf8.starts(with: $0.utf8) }) else { return nil }
        let place = url.utf8.dropFirst(scheme.utf8.count)
        // An address in brackets has colons.
        let isAddress = place.first == UInt8(ascii: "[")
        let rest = isAddress ? place.drop { $0 != UInt8(ascii: "]") } : place
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") })
        else { return nil }
        return Array(place[..<end])
    }

    /// True if renditions of these bytes that were made at `time` are purged.
    func hasPurged(renditionsOf digest: OriginalDigest, from time: Timestamp) -> Bool {
        Self.covers(floor, time) || (digests[digest].map { Self.covers($0, time) } ?? false)
    }

    /// When something was purged, by the middle one of three clocks: that of the node that had the order, Redis's, and
    /// ours. One of them may be wrong. Everything until then counts as purged: with a mark of 2099 nothing written in the
    /// years before would be of use, and with a clock that is two hours behind the entries purged in those would come
    /// back. An order without a time, to have everything confirmed, has the later one of Redis's and ours; without
    /// Redis's, none is later than ours. Two that are wrong cost a day at most.
    static func time(of order: PurgeOrder, now: Timestamp) -> Timestamp {
        guard var announced = order.announced else { return min(order.time ?? now, now) }
        let (latest, isFar) = now.milliseconds.addingReportingOverflow(furthest)
        if !isFar { announced = min(announced, Timestamp(milliseconds: latest)) }
        guard let time = order.time else { return max(announced, now) }
        return max(min(announced, now), min(max(announced, now), time))
    }

    private static func covers(_ mark: Timestamp, _ time: Timestamp) -> Bool {
        let (end, isFar) = mark.milliseconds.addingReportingOverflow(margin)
        return mark.milliseconds != .min && (isFar || time.milliseconds <= end)
    }
}

// MARK: As text

extension PurgeMarks.Mark {
    /// `1732545257000 hard url aHR0cHM…`, without a line feed.
    var line: String {
        let (kind, name): (String, [UInt8]) =
            switch subject {
            case .originals(let selection): (selection.words.kind, Array(selection.words.name.utf8))
            case .renditions(let digest): ("bytes", digest.digest.bytes)
            }
        let manner = isDoubt ? "doubt" : isSoft ? "soft" : "hard"
        return "\(time.milliseconds) \(manner) \(kind) \(Base64URL.encode(name))"
    }

    /// Nil for a line that `line` does not write, as one that was cut short.
    init?(line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let time = Int64(words[0]), ["soft", "hard", "doubt"].contains(words[1]),
            let bytes = Base64URL.decode(words[3])
        else { return nil }
        if words[2] == "bytes" {
            guard let digest = Digest(bytes) else { return nil }
            subject = .renditions(OriginalDigest(digest))
        } else {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let selection = PurgeSelection(kind: words[2], name: name) else { return nil }
            subject = .originals(selection)
        }
        self.time = Timestamp(milliseconds: time)
        (isSoft, isDoubt) = (words[1] == "soft", words[1] == "doubt")
    }
}
