// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Pipeline
internal import SourceURLs

/// The marks of originals that were forgotten because their answers may belong to other URLs. Origins can cause any number of
/// them, so they have room of their own, apart from purges by operators and other nodes.
///
/// When the room is full, the marks of one origin are merged into a mark of all its URLs, so an origin that fills the room loses
/// what the store has of it. Only if different origins fill the room are the oldest marks dropped.
struct DoubtMarks: Sendable {
    private let limit: Int
    private let mostBytes: Int
    private var urls: [String: Timestamp] = [:]
    /// Times by origin, spelled `http://host:port/`.
    private var origins: [String: Timestamp] = [:]
    /// Bytes of the names.
    private var bytes = 0

    init(limit: Int, mostBytes: Int) { (self.limit, self.mostBytes) = (limit, mostBytes) }

    /// The marks as a file has them, in any order.
    var marks: [PurgeMarks.Mark] {
        let single = urls.map { (PurgeSelection.url(OriginalKey(url: $0.key)), $0.value) }
        let whole = origins.map { (PurgeSelection.prefix($0.key), $0.value) }
        return (single + whole).map { PurgeMarks.Mark(subject: .originals($0), time: $1, isDoubt: true) }
    }

    /// When this URL was last in doubt; nil if never.
    func time(of url: String) -> Timestamp? {
        let whole = origins.isEmpty ? nil : Self.origin(of: url).flatMap { origins[$0] }
        guard let single = urls[url] else { return whole }
        return max(single, whole ?? single)
    }

    /// Adds the mark of a URL, or of an origin's URLs; other marks are ignored.
    /// - Returns: the time before which everything counts as purged from now on; nil while all marks have room.
    mutating func add(_ mark: PurgeMarks.Mark) -> Timestamp? {
        switch mark.subject {
        case .originals(.url(let key)):
            if let origin = Self.origin(of: key.url), let known = origins[origin] {
                origins[origin] = max(known, mark.time)
            } else {
                Self.enter(key.url, mark.time, in: &urls, &bytes)
            }
        case .originals(.prefix(let origin)): Self.enter(origin, mark.time, in: &origins, &bytes)
        default: break
        }
        guard isOver(limit, mostBytes) else { return nil }
        // A tenth of the room is freed, so that not every further mark causes this work again.
        let (room, roomOfBytes) = (limit - limit / 10, mostBytes - mostBytes / 10)
        joinOrigins(until: room, roomOfBytes)
        return dropOldest(until: room, roomOfBytes)
    }

    private func isOver(_ count: Int, _ mostBytes: Int) -> Bool {
        urls.count + origins.count > count || bytes > mostBytes
    }

    private static func enter(
        _ name: String, _ time: Timestamp, in times: inout [String: Timestamp], _ bytes: inout Int
    ) {
        if times[name] == nil { bytes += name.utf8.count }
        times[name] = max(time, times[name] ?? time)
    }

    /// Merges the marks of an origin into one, beginning with the origin that has the most.
    private mutating func joinOrigins(until count: Int, _ mostBytes: Int) {
        var groups: [String: [String]] = [:]
        for url in urls.keys {
            if let origin = Self.origin(of: url) { groups[origin, default: []].append(url) }
        }
        for (origin, members) in groups.sorted(by: { $0.value.count > $1.value.count }) {
            guard isOver(count, mostBytes) else { return }
            // Replacing one mark by one only helps if bytes are lacking.
            guard members.count > 1 || bytes > mostBytes else { continue }
            for url in members {
                guard let time = urls.removeValue(forKey: url) else { continue }
                bytes -= url.utf8.count
                Self.enter(origin, time, in: &origins, &bytes)
            }
        }
    }

    private mutating func dropOldest(until count: Int, _ mostBytes: Int) -> Timestamp? {
        var floor: Timestamp?
        let all = urls.map { ($0.key, $0.value, true) } + origins.map { ($0.key, $0.value, false) }
        for (name, time, isURL) in all.sorted(by: { $0.1 < $1.1 }) {
            guard isOver(count, mostBytes) else { break }
            if isURL { urls[name] = nil } else { origins[name] = nil }
            bytes -= name.utf8.count
            floor = time
        }
        return floor
    }

    /// The beginning of a URL, including the slash behind its authority; nil if it has none.
    private static func origin(of url: String) -> String? {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let place = bytes[colon...].dropFirst(3)
        guard bytes[colon...].starts(with: "://".utf8),
            let end = place.firstIndex(of: UInt8(ascii: "/")), end > place.startIndex
        else { return nil }
        return String(decoding: bytes[...end], as: UTF8.self)
    }
}
