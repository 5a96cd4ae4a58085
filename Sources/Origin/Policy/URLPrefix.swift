// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

/// A prefix of URLs: `https://host/pictures/`. Scheme, host and port are compared as such, so `https://host`
/// is no prefix of `https://host.elsewhere`. The path is compared by whole segments, so `/pictures` holds
/// `/pictures/1` and not `/pictures-of-others`. `//host/…` stands for http and https, at their own ports.
///
/// A path has many spellings (`/%70ictures/`, `/pictures/..%2Fsecrets/`, `//pictures/`), and only the origin
/// knows which of them mean the same. So a URL is compared as it is written, and as lenient origins would read it that undo
/// escapes once, twice and so on. Servers of Java drop parameters of segments besides (`/pictures;x/`), so a URL that may have
/// some is compared without them, too. A list that allows needs all to match, a list that denies needs one.
package struct URLPrefix: Sendable, Hashable {
    private let url: SourceURL
    private let isForAnyScheme: Bool
    /// The target as lenient origins would read it.
    private let readings: [Reading]

    /// Nil for text that is no URL with a scheme or `//` before its host.
    package init?(_ text: String) {
        isForAnyScheme = text.hasPrefix("//")
        guard isForAnyScheme || text.contains("://"), let url = try? SourceURL.parse(text, isPrefix: true)
        else { return nil }
        self.url = url
        readings = Self.readings(of: url.target)
    }

    /// Equal texts mean the same prefix.
    var text: String { isForAnyScheme ? "//\(url.absolute)" : url.absolute }

    /// The prefix as a URL of each scheme that it stands for, https first.
    var urls: [SourceURL] {
        guard isForAnyScheme else { return [url] }
        let isUsualPort = url.port == url.scheme.defaultPort
        return [.https, .http].map { (scheme: SourceURL.Scheme) in
            SourceURL(
                scheme: scheme, host: url.host, port: isUsualPort ? scheme.defaultPort : url.port,
                target: url.target)
        }
    }

    /// True if `other` lies below the prefix in all readings; for lists that allow.
    package func surelyHolds(_ other: SourceURL) -> Bool { [self].surelyHold(other) }

    fileprivate func isSamePlace(_ other: SourceURL) -> Bool {
        guard url.host == other.host else { return false }
        if !isForAnyScheme { return url.scheme == other.scheme && url.port == other.port }
        return url.port == other.port
            || url.port == url.scheme.defaultPort && other.port == other.scheme.defaultPort
    }

    /// True if the target lies below the prefix as both are written.
    fileprivate func holds(target: String) -> Bool { Self.holds(url.target, target) }

    /// True if it does so as an origin reads the target, by any reading of the prefix.
    fileprivate func maybeHolds(_ other: String) -> Bool {
        readings.contains { Self.holds($0.place, other) }
    }

    /// True if it does so as any origin reads both.
    fileprivate func surelyHolds(_ others: [Reading]) -> Bool { Self.allHold(readings, others) }

    /// Compares readings that undo escapes equally often. The last ones have none left.
    private static func allHold(_ prefixes: [Reading], _ others: [Reading]) -> Bool {
        others.indices.allSatisfy {
            // Cannot trap: there is one at least.
            holds(prefixes[min($0, prefixes.count - 1)].place, others[$0].place)
        }
    }

    private static func holds(_ prefix: String, _ target: String) -> Bool {
        guard target.utf8.starts(with: prefix.utf8) else { return false }
        if prefix.hasSuffix("/") || prefix.contains("?") { return true }
        let next = target.utf8.dropFirst(prefix.utf8.count).first
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }

    /// A path as a lenient origin reads it: backslashes are slashes, parameters of dot segments are dropped (`..;x`), dot
    /// segments and empty segments are removed. The query stays as it is.
    fileprivate struct Reading: Hashable {
        /// Where the path leads.
        var place = ""
        /// Where it turns back by `..`. An origin that takes these for a name's part, because their slashes were escaped,
        /// serves what lies there: a script's path may go on behind its name (`/a.php/..%2F..`).
        var turns: [String] = []
        /// It turns back more often than any picture's path does, and `turns` has only the first places.
        var turnsTooOften = false
    }

    /// How often a path may turn back: each place is compared with each prefix.
    fileprivate static let mostTurns = 16

    /// How often a server undoes escapes: once, and a careless chain of servers once each.
    private static let mostDecodings = 8

    /// The readings of origins that undo escapes not at all, once, and so on until none is left; at least one.
    /// - Parameter dropsParameters: true to drop those of all segments.
    fileprivate static func readings(of target: String, dropsParameters: Bool = false) -> [Reading] {
        let path = target.prefix { $0 != "?" }
        let query = target[path.endIndex...]
        var bytes = Array(path.utf8)
        var readings = [read(bytes, query, dropsParameters)]
        for _ in 0..<mostDecodings {
            let decoded = PercentEscape.decode(lenient: bytes[...])
            if decoded == bytes { break }
            bytes = decoded
            readings.append(read(bytes, query, dropsParameters))
        }
        return readings
    }

    private static func read(_ path: [UInt8], _ query: Substring, _ dropsParameters: Bool) -> Reading {
        var reading = Reading()
        var segments: [ArraySlice<UInt8>] = []
        func place() -> String {
            "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        }
        var parts = path.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        if dropsParameters { parts = parts.map { $0.prefix { $0 != UInt8(ascii: ";") } } }
        var isBehindName = false
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual("..".utf8) {
                // What lies above a place is below no prefix that the place is not below.
                if isBehindName, reading.turns.count < mostTurns {
                    reading.turns.append(place() + query)
                } else if isBehindName {
                    reading.turnsTooOften = true
                }
                isBehindName = false
                _ = segments.popLast()
            } else if !part.isEmpty, !name.elementsEqual(".".utf8) {
                segments.append(part)
                isBehindName = true
            }
        }
        // RFC 3986 §5.2.4: a path that ends in a dot segment names the folder.
        let last = parts.last.map { $0.prefix { $0 != UInt8(ascii: ";") } } ?? []
        let namesFolder =
            parts.last?.isEmpty == true || last.elementsEqual(".".utf8) || last.elementsEqual("..".utf8)
        reading.place = place() + (namesFolder && !segments.isEmpty ? "/" : "") + query
        return reading
    }

    /// The target without parameters, in two readings. Some servers drop them before they undo escapes, so an escaped slash in a
    /// parameter ends no segment (`/a;%2F../b` is `/a/b`); others drop them afterwards (`/a%3Bx/b` is `/a/b`).
    private static func bareReadings(of target: String) -> [[Reading]] {
        let path = target.prefix { $0 != "?" }
        let bare = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.prefix { $0 != ";" } }.joined(separator: "/")
        let query = target[path.endIndex...]
        return ["\(bare)\(query)", target].map { readings(of: $0, dropsParameters: true) }
    }

    /// These, of a URL that may have parameters; none of any other. A folder and a store take a path as it is.
    fileprivate static func bareReadings(of url: SourceURL) -> [[Reading]] {
        let mayHaveSome = url.target.utf8.contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }
        return url.scheme.isWeb && mayHaveSome ? bareReadings(of: url.target) : []
    }

    /// True if the target lies below the prefix where neither has parameters, whichever way these are dropped.
    fileprivate func surelyHolds(bare others: [[Reading]]) -> Bool {
        others.isEmpty || zip(Self.bareReadings(of: url.target), others).allSatisfy { Self.allHold($0, $1) }
    }
}

extension [URLPrefix] {
    /// True if one of them surely holds the URL, which is read once for all of them.
    func surelyHold(_ url: SourceURL) -> Bool {
        let near = filter { $0.isSamePlace(url) && $0.holds(target: url.target) }
        guard !near.isEmpty else { return false }
        let (readings, bare) = (URLPrefix.readings(of: url.target), URLPrefix.bareReadings(of: url))
        return near.contains { $0.surelyHolds(readings) && $0.surelyHolds(bare: bare) }
    }

    /// True if one of them maybe holds the URL, which is read once for all of them.
    func maybeHold(_ url: SourceURL) -> Bool {
        let near = filter { $0.isSamePlace(url) }
        guard !near.isEmpty else { return false }
        if near.contains(where: { $0.holds(target: url.target) }) { return true }
        let readings = URLPrefix.readings(of: url.target) + URLPrefix.bareReadings(of: url).joined()
        let turns = Set(readings.flatMap(\.turns))
        let turnsTooOften = turns.count > URLPrefix.mostTurns || readings.contains { $0.turnsTooOften }
        guard !turnsTooOften else { return true }
        return turns.union(readings.map(\.place)).contains { place in
            near.contains { $0.maybeHolds(place) }
        }
    }
}
