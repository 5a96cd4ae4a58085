// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

/// A prefix of URLs: `https://host/pictures/`. Scheme, host and port must be equal, so `https://host` is no prefix of
/// `https://host.elsewhere`. The path is compared by whole segments, so `/pictures` holds `/pictures/1` and not
/// `/pictures-of-others`. `//host/…` stands for http and https, at their own ports.
///
/// A path has many spellings (`/%70ictures/`, `/pictures/..%2Fsecrets/`, `//pictures/`), and only the origin knows which of them
/// mean the same. So a URL is compared as written, and in the readings of lenient origins that decode escapes once, twice and so
/// on. Java servers also drop parameters of segments (`/pictures;x/`), so a URL that may have some is compared without them, too.
/// In a list that allows, every reading must match; in a list that denies, one match suffices.
package struct URLPrefix: Sendable, Hashable {
    private let url: SourceURL
    private let isForAnyScheme: Bool
    /// The readings of the target by lenient origins.
    private let readings: [Reading]

    /// Nil if the text is not a URL with a scheme or `//` before its host.
    package init?(_ text: String) {
        isForAnyScheme = text.hasPrefix("//")
        guard isForAnyScheme || text.contains("://"), let url = try? SourceURL.parse(text, isPrefix: true)
        else { return nil }
        self.url = url
        readings = Self.readings(of: url.target)
    }

    /// A canonical text: equal texts mean the same prefix.
    var text: String { isForAnyScheme ? "//\(url.absolute)" : url.absolute }

    /// The prefix as a URL for each scheme for which it stands, https first.
    var urls: [SourceURL] {
        guard isForAnyScheme else { return [url] }
        let isUsualPort = url.port == url.scheme.defaultPort
        return [.https, .http].map { (scheme: SourceURL.Scheme) in
            SourceURL(
                scheme: scheme, host: url.host, port: isUsualPort ? scheme.defaultPort : url.port,
                target: url.target)
        }
    }

    /// True if `other` is below the prefix in all readings; for lists that allow.
    package func surelyHolds(_ other: SourceURL) -> Bool { [self].surelyHold(other) }

    fileprivate func isSamePlace(_ other: SourceURL) -> Bool {
        guard url.host == other.host else { return false }
        if !isForAnyScheme { return url.scheme == other.scheme && url.port == other.port }
        return url.port == other.port
            || url.port == url.scheme.defaultPort && other.port == other.scheme.defaultPort
    }

    /// True if the target is below the prefix as both are written.
    fileprivate func holds(target: String) -> Bool { Self.holds(url.target, target) }

    /// True if this reading of the target by an origin is below any reading of the prefix.
    fileprivate func maybeHolds(_ other: String) -> Bool {
        readings.contains { Self.holds($0.place, other) }
    }

    /// True if the target is below the prefix in each pair of readings.
    fileprivate func surelyHolds(_ others: [Reading]) -> Bool { Self.allHold(readings, others) }

    /// Compares readings with equally many decodings. The last reading of each has no escapes left.
    private static func allHold(_ prefixes: [Reading], _ others: [Reading]) -> Bool {
        others.indices.allSatisfy {
            // Cannot trap: there is at least one reading.
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
    /// segments and empty segments are removed. The query is unchanged.
    fileprivate struct Reading: Hashable {
        /// The resulting path and the query.
        var place = ""
        /// The places at which the path turns back by `..`. If the slashes beside `..` were escaped, an origin may take `..` for
        /// a part of a name and serve what is at that place: a path may continue behind a script's name (`/a.php/..%2F..`).
        var turns: [String] = []
        /// True if the path turns back more often than a picture's path ever does; `turns` then has only the first places.
        var turnsTooOften = false
    }

    /// The most places in `turns`, because each is compared with each prefix.
    fileprivate static let mostTurns = 16

    /// How often escapes are decoded: a server does it once, and a careless chain of servers once for each server.
    private static let mostDecodings = 8

    /// The readings of origins that decode escapes not at all, once, and so on until none is left; at least one reading.
    /// - Parameter dropsParameters: true to drop the parameters of all segments.
    fileprivate static func readings(of target: String, dropsParameters: Bool = false) -> [Reading] {
        let path = target.prefix { $0 != "?" }
        let query = target[path.endIndex...]
        var bytes = Array(path.utf8)
        var readings = [read(bytes, query, droppingParameters: dropsParameters)]
        for _ in 0..<mostDecodings {
            let decoded = PercentEscape.decode(lenient: bytes[...])
            if decoded == bytes { break }
            bytes = decoded
            readings.append(read(bytes, query, droppingParameters: dropsParameters))
        }
        return readings
    }

    private static func read(
        _ path: [UInt8], _ query: Substring, droppingParameters dropsParameters: Bool
    ) -> Reading {
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
                // Places above this one need not be added: a prefix that contains such a place contains this one as well.
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

    /// The target without parameters, in two readings. Some servers drop parameters before they decode escapes, so an escaped
    /// slash in a parameter does not end a segment (`/a;%2F../b` is `/a/b`); others drop them afterwards (`/a%3Bx/b` is `/a/b`).
    private static func bareReadings(of target: String) -> [[Reading]] {
        let path = target.prefix { $0 != "?" }
        let bare = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.prefix { $0 != ";" } }.joined(separator: "/")
        let query = target[path.endIndex...]
        return ["\(bare)\(query)", target].map { readings(of: $0, dropsParameters: true) }
    }

    /// These readings for a URL that may have parameters; empty for any other. Folders and stores take a path literally.
    fileprivate static func bareReadings(of url: SourceURL) -> [[Reading]] {
        let mayHaveSome = url.target.utf8.contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }
        return url.scheme.isWeb && mayHaveSome ? bareReadings(of: url.target) : []
    }

    /// True if the target is below the prefix when both are without parameters, whichever way these are dropped.
    fileprivate func surelyHolds(bare others: [[Reading]]) -> Bool {
        others.isEmpty || zip(Self.bareReadings(of: url.target), others).allSatisfy { Self.allHold($0, $1) }
    }
}

extension [URLPrefix] {
    /// True if the URL is surely below one of the prefixes. The URL's readings are made once for all prefixes.
    func surelyHold(_ url: SourceURL) -> Bool {
        let near = filter { $0.isSamePlace(url) && $0.holds(target: url.target) }
        guard !near.isEmpty else { return false }
        let (readings, bare) = (URLPrefix.readings(of: url.target), URLPrefix.bareReadings(of: url))
        return near.contains { $0.surelyHolds(readings) && $0.surelyHolds(bare: bare) }
    }

    /// True if the URL may be below one of the prefixes. The URL's readings are made once for all prefixes.
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
