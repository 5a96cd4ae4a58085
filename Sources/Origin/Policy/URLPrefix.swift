// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

/// A prefix of URLs: `https://host/pictures/`. Scheme, host and port are compared as such, so `https://host`
/// is no prefix of `https://host.elsewhere`. The path is compared by whole segments, so `/pictures` holds
/// `/pictures/1` and not `/pictures-of-others`. `//host/…` stands for http and https, at their own ports.
///
/// A path has many spellings (`/%70ictures/`, `/pictures/..%2Fsecrets/`, `//pictures/`), and only the origin
/// knows which of them mean the same. So a URL is compared twice: as it is written, and as the most lenient
/// origin would read it. Servers of Java drop parameters of segments besides (`/pictures;x/`), so a URL that may have some is
/// compared without them, too. A list that allows needs all to match, a list that denies needs one.
package struct URLPrefix: Sendable, Hashable {
    private let url: SourceURL
    private let isForAnyScheme: Bool
    /// The target as the most lenient origin would read it.
    private let reading: String

    /// Nil for text that is no URL with a scheme or `//` before its host.
    package init?(_ text: String) {
        isForAnyScheme = text.hasPrefix("//")
        guard isForAnyScheme || text.contains("://"), let url = try? SourceURL.parse(text, isPrefix: true)
        else { return nil }
        self.url = url
        reading = Self.read(url.target)
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

    /// True if it does so as both are read.
    fileprivate func holds(reading other: String) -> Bool { Self.holds(reading, other) }

    private static func holds(_ prefix: String, _ target: String) -> Bool {
        guard target.utf8.starts(with: prefix.utf8) else { return false }
        if prefix.hasSuffix("/") || prefix.contains("?") { return true }
        let next = target.utf8.dropFirst(prefix.utf8.count).first
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }

    /// The most lenient reading of a target: escapes are undone until none is left, backslashes become
    /// slashes, parameters of dot segments are dropped (`..;x`), dot segments and empty segments are removed.
    /// The query stays as it is.
    /// - Parameter dropsParameters: true to drop those of all segments.
    fileprivate static func read(_ target: String, dropsParameters: Bool = false) -> String {
        let path = target.prefix { $0 != "?" }
        var bytes = Array(path.utf8)
        // A server decodes once; a careless chain of servers decodes once each.
        for _ in 0..<8 {
            let decoded = PercentEscape.decode(lenient: bytes[...])
            if decoded == bytes { break }
            bytes = decoded
        }
        var segments: [ArraySlice<UInt8>] = []
        var parts = bytes.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        if dropsParameters { parts = parts.map { $0.prefix { $0 != UInt8(ascii: ";") } } }
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            if name.elementsEqual("..".utf8) { _ = segments.popLast() }
            if !part.isEmpty, !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) {
                segments.append(part)
            }
        }
        // RFC 3986 §5.2.4: a path that ends in a dot segment names the folder.
        let last = parts.last.map { $0.prefix { $0 != UInt8(ascii: ";") } } ?? []
        let namesFolder =
            parts.last?.isEmpty == true || last.elementsEqual(".".utf8) || last.elementsEqual("..".utf8)
        let end = namesFolder && !segments.isEmpty ? "/" : ""
        return "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") + end
            + target[path.endIndex...]
    }

    /// The target without parameters: those that are dropped before an escape is undone, in which an escaped slash ends no
    /// segment (`/a;%2F../b` is `/a/b`), and those that are dropped behind it (`/a%3Bx/b` is `/a/b`).
    private static func bareReadings(_ target: String) -> [String] {
        let path = target.prefix { $0 != "?" }
        let bare = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.prefix { $0 != ";" } }.joined(separator: "/")
        let query = target[path.endIndex...]
        return ["\(bare)\(query)", target].map { read($0, dropsParameters: true) }
    }

    /// These, of a URL that may have parameters; none of any other. A folder and a store take a path as it is.
    fileprivate static func bareReadings(of url: SourceURL) -> [String] {
        let mayHaveSome = url.target.utf8.contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }
        return url.scheme.isWeb && mayHaveSome ? bareReadings(url.target) : []
    }

    /// True if the target lies below the prefix where neither has parameters, whichever way these are dropped.
    fileprivate func holds(bareReadings others: [String]) -> Bool {
        others.isEmpty || zip(Self.bareReadings(url.target), others).allSatisfy { Self.holds($0, $1) }
    }
}

extension [URLPrefix] {
    /// True if one of them surely holds the URL, which is read once for all of them.
    func surelyHold(_ url: SourceURL) -> Bool {
        let near = filter { $0.isSamePlace(url) && $0.holds(target: url.target) }
        guard !near.isEmpty else { return false }
        let (reading, bare) = (URLPrefix.read(url.target), URLPrefix.bareReadings(of: url))
        return near.contains { $0.holds(reading: reading) && $0.holds(bareReadings: bare) }
    }

    /// True if one of them maybe holds the URL, which is read once for all of them.
    func maybeHold(_ url: SourceURL) -> Bool {
        let near = filter { $0.isSamePlace(url) }
        guard !near.isEmpty else { return false }
        if near.contains(where: { $0.holds(target: url.target) }) { return true }
        let readings = [URLPrefix.read(url.target)] + URLPrefix.bareReadings(of: url)
        return readings.contains { reading in near.contains { $0.holds(reading: reading) } }
    }
}
