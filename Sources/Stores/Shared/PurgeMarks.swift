// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// This node's purges, with their times, so that it does not use a purged entry that the store still has.
///
/// An entry of the store counts as purged if it was fetched, confirmed or made before the purge. Objects have the time of the
/// clock of the node that wrote them, so objects up to `margin` younger than the purge count as purged as well; that costs at
/// most a miss.
///
/// The number of marks and the bytes of their names are limited, because other nodes' orders come through Redis, where an
/// attacker may write. Beyond the limits the oldest marks are dropped, and everything before them counts as purged. Doubts have a
/// tenth of this room in addition, see `DoubtMarks`.
struct PurgeMarks: Sendable {
    /// Milliseconds by which the clocks of nodes may differ.
    static let margin: Int64 = 5_000
    /// Milliseconds by which Redis's clock may at most be ahead of this node's to be believed.
    private static let furthest: Int64 = 86_400_000
    /// The most bytes of the names in all marks: far more than ten thousand usual URLs have.
    static let mostBytes = 16 << 20

    /// One mark.
    struct Mark: Sendable, Hashable {
        enum Subject: Sendable, Hashable {
            case originals(PurgeSelection)
            /// The renditions made from these bytes, or bearing them as a watermark.
            case renditions(OriginalDigest)
        }

        var subject: Subject
        /// When it was purged.
        var time: Timestamp
        /// True if the original must only be confirmed by its origin.
        var isSoft = false
        /// True if the answer may have belonged to another URL (`DoubtMarks`); such a mark is hard.
        var isDoubt = false

        /// Bytes of the name in the mark.
        var size: Int {
            switch subject {
            case .originals(let selection): selection.words.name.utf8.count
            case .renditions: 0
            }
        }
    }

    enum Verdict: Sendable, Hashable {
        case holds
        /// The original was purged softly and must be confirmed by its origin.
        case isStale
        case isPurged
    }

    /// The times of the last hard and soft purge of one name: a later mark makes an earlier one unnecessary.
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
    /// The marks that are not doubts, in the order of adding or of their times.
    private(set) var marks: [Mark] = []
    private var doubts: DoubtMarks
    /// Bytes of the names in `marks`.
    private(set) var bytes = 0
    // Times by URL, so that a read of the store examines few marks. The next properties serve the same purpose.
    private var urls: [String: Times] = [:]
    private var tags: [String: Times] = [:]
    /// Times by the bytes of a host.
    private var hosts: [[UInt8]: Times] = [:]
    /// Times by the bytes of a prefix; prefixes are searched one by one.
    private var prefixes: [[UInt8]: Times] = [:]
    private var digests: [OriginalDigest: Timestamp] = [:]
    /// Everything up to this time must be confirmed.
    private var softFloor: Timestamp?
    /// Everything up to this time counts as purged.
    private(set) var floor = Timestamp(milliseconds: .min)

    init(limit: Int, mostBytes: Int = PurgeMarks.mostBytes) {
        (self.limit, self.mostBytes) = (limit, mostBytes)
        doubts = DoubtMarks(limit: max(1, limit / 10), mostBytes: mostBytes / 10)
    }

    /// All marks that count, without `floor`.
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
        // Sorted because marks of a file that is read late are older, and would otherwise push out the newest, and everything
        // before them.
        marks.sort { $0.time < $1.time }
        // A tenth is dropped at a time, so that not every further purge causes this work again.
        while marks.count > limit || bytes > mostBytes {
            let dropped = marks.prefix(max(1, min(limit, marks.count) / 10))
            floor = max(floor, dropped.map(\.time).max() ?? floor)
            bytes -= dropped.reduce(0) { $0 + $1.size }
            marks.removeFirst(dropped.count)  // Cannot trap: `prefix` has found so many.
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
                // No real URL has such a host; the order then means URLs that begin so.
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

    /// The verdict on an original that its origin sent or confirmed at `time`.
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

    /// The bytes of a URL up to the slash or colon behind its host, or behind the name of its bucket or folder; nil if there is
    /// none.
    private static func host(of url: String) -> [UInt8]? {
        let schemes = ["http://", "https://", "s3://", "azure://", "file://"]
        guard let scheme = schemes.first(where: { url.utf8.starts(with: $0.utf8) }) else { return nil }
        let place = url.utf8.dropFirst(scheme.utf8.count)
        // An address in brackets contains colons.
        let isAddress = place.first == UInt8(ascii: "[")
        let rest = isAddress ? place.drop { $0 != UInt8(ascii: "]") } : place
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") })
        else { return nil }
        return Array(place[..<end])
    }

    /// True if renditions that were made from these bytes at `time` are purged.
    func hasPurged(renditionsOf digest: OriginalDigest, from time: Timestamp) -> Bool {
        Self.covers(floor, time) || (digests[digest].map { Self.covers($0, time) } ?? false)
    }

    /// The time of a purge: the middle one of three clocks, because one of them may be wrong: the clock of the node that received
    /// the order, Redis's, and this node's. Everything up to that time counts as purged, so with a mark of 2099 nothing written
    /// before would be usable, and with a clock two hours behind, entries purged in those hours would come back. An order without
    /// a time, which has everything confirmed, gets the later of Redis's and this node's time; without Redis's time, no mark is
    /// later than this node's. If two clocks are wrong, that costs a day at most.
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
    /// The mark as a line, such as `1732545257000 hard url aHR0cHM…`, without a line feed.
    var line: String {
        let (kind, name): (String, [UInt8]) =
            switch subject {
            case .originals(let selection): (selection.words.kind, Array(selection.words.name.utf8))
            case .renditions(let digest): ("bytes", digest.digest.bytes)
            }
        let manner = isDoubt ? "doubt" : isSoft ? "soft" : "hard"
        return "\(time.milliseconds) \(manner) \(kind) \(Base64URL.encode(name))"
    }

    /// Nil if the line is not in the form of `line`, for example because it was cut short.
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
