// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import SourceURLs

/// The cookies that redirects of one fetch have set. Later hops of the fetch send them to the origin that set them.
///
/// Other fetches do not get them. This is a subset of RFC 6265, and stricter: `Domain` never extends a cookie beyond its host,
/// and another scheme or port has separate cookies. So no server gets a cookie that the RFC would not send it.
struct HopCookies {
    private struct Cookie {
        let origin: SourceOrigin
        let path: Substring
        let name: Substring
        let value: Substring
    }

    /// The cookies in the order in which they were set.
    private var list: [Cookie] = []

    /// The most bytes of all cookies: twice what a browser must at least keep of one cookie (RFC 6265 §6.1).
    private static let longest = 8_192
    /// The most cookies: as many as a browser must at least keep for one host.
    private static let most = 50

    /// Takes the cookies that a redirect from this URL sets. True if any cookie has changed.
    mutating func take(_ fields: Fields, from url: SourceURL, at now: Timestamp) -> Bool {
        var hasChanged = false
        for line in fields.values("Set-Cookie") where take(line, from: url, at: now) { hasChanged = true }
        return hasChanged
    }

    /// The field of a request to this URL; nil if there are no cookies for it.
    func field(for url: SourceURL) -> Fields.Field? {
        let path = url.target.prefix { $0 != "?" }
        let meant = list.filter { $0.origin == url.origin && Self.isBelow($0.path, path) }
        guard !meant.isEmpty else { return nil }
        return Fields.Field("Cookie", meant.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    }

    /// RFC 6265 §5.2 and §5.3.
    private mutating func take(_ line: String, from url: SourceURL, at now: Timestamp) -> Bool {
        let parts = line.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        guard let (name, value) = parts.first.flatMap(Self.pair), !name.isEmpty,
            name.utf8.count + value.utf8.count <= Self.longest, Self.isSendable(name),
            Self.isSendable(value)
        else { return false }
        var (path, isOver, hasAge) = (Self.defaultPath(of: url), false, false)
        for part in parts.dropFirst() {
            let (name, value) = Self.pair(part) ?? (name: part, value: "")
            switch name.lowercased() {
            case "path": path = value.hasPrefix("/") ? value : Self.defaultPath(of: url)
            case "max-age":
                guard let seconds = Int(value) else { continue }
                (isOver, hasAge) = (seconds <= 0, true)
            case "expires":
                // §5.3 item 3: `Max-Age` overrides `Expires`.
                guard !hasAge, let end = HTTPDate.parse(String(value), now: now) else { continue }
                isOver = end <= now
            // §5.3 item 6: a cookie for another domain is ignored.
            case "domain": guard Self.isOf(value, url) else { return false }
            // §4.1.2.5: such a cookie is sent over TLS only, so this origin must not get it.
            case "secure": guard url.scheme == .https else { return false }
            default: continue
            }
        }
        let former = list.firstIndex { $0.origin == url.origin && $0.path == path && $0.name == name }
        if !isOver, let former, list[former].value == value { return false }
        if let former { list.remove(at: former) }
        guard !isOver else { return former != nil }
        list.append(Cookie(origin: url.origin, path: path, name: name, value: value))
        while list.count > Self.most || bytes > Self.longest { list = Array(list.dropFirst()) }
        return true
    }

    private var bytes: Int { list.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    private static func pair(_ text: Substring) -> (name: Substring, value: Substring)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (text[..<equals].trimmed, text[text.index(after: equals)...].trimmed)
    }

    private static func isSendable(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// RFC 6265 §5.1.3: true if this domain is the URL's host, or if the host is a name below it. Also true for no domain.
    private static func isOf(_ domain: Substring, _ url: SourceURL) -> Bool {
        let domain = (domain.hasPrefix(".") ? domain.dropFirst() : domain).lowercased()
        if domain.isEmpty || domain == url.host || domain == url.uriHost { return true }
        return IPAddress(url.host) == nil && url.host.hasSuffix(".\(domain)")
    }

    /// The default path by RFC 6265 §5.1.4: the folder of the URL that sets the cookie.
    private static func defaultPath(of url: SourceURL) -> Substring {
        let path = url.target.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return path[..<slash]
    }

    /// RFC 6265 §5.1.4: true if a cookie for this folder is sent with that path.
    private static func isBelow(_ folder: Substring, _ path: Substring) -> Bool {
        guard path.hasPrefix(folder) else { return false }
        return folder.hasSuffix("/") || path.utf8.count == folder.utf8.count
            || path.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/")
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let rest = drop { $0 == " " || $0 == "\t" }
        guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return rest[...last]
    }
}
