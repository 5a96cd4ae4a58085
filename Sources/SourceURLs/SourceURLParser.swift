// SPDX-License-Identifier: Apache-2.0
//
// Reads a source URL. The grammar is RFC 3986's with the host rules of the WHATWG URL standard, so that the
// host checked here is the host that a browser would have meant; a URL that leaves room for doubt
// (backslashes, white space, missing slashes, user information) is refused and not repaired.

internal import Bytes

extension SourceURL {
    /// Bytes of the longest URL. Proxies cut longer ones; 4,096 is the limit of most origins.
    package static let longest = 4_096

    /// Parses `http://…`, `https://…`, `//host…` (https), `ssl:host…` (https), a bare `host/…` (`bareScheme`),
    /// `file://folder/…`, `s3://bucket/…` or `azure://container/…`. The caller has percent-decoded the text as a query value,
    /// so a space in path or query is escaped again.
    /// - Parameter isPrefix: true if the URL stands for all URLs that begin with it; only then may it be a folder, a bucket or a
    ///   container alone.
    /// - Throws: the first rule that the text breaks.
    package static func parse(
        _ text: String, bareScheme: Scheme = .https, isPrefix: Bool = false
    ) throws(SourceURLError) -> SourceURL {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= longest else { throw .tooLong }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .forbiddenCharacter }
        guard bytes.first != UInt8(ascii: " "), bytes.last != UInt8(ascii: " ") else {
            throw .forbiddenCharacter
        }
        let url = bytes.prefix { $0 != UInt8(ascii: "#") }
        guard !url.contains(UInt8(ascii: "\\")) else { throw .backslash }

        let (scheme, rest) = try splitScheme(url, bareScheme: bareScheme)
        guard scheme.isWeb else { return try StoredPath.parse(rest, scheme, isPrefix: isPrefix) }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let (host, port) = try splitAuthority(authority)
        return SourceURL(
            scheme: scheme, host: try HostName.normalise(host), port: port ?? scheme.defaultPort,
            target: TargetNormaliser.normalise(rest[authority.endIndex...]))
    }

    /// The scheme, and everything from the authority on.
    private static func splitScheme(
        _ url: ArraySlice<UInt8>, bareScheme: Scheme
    ) throws(SourceURLError) -> (Scheme, ArraySlice<UInt8>) {
        // First the forms of most URLs.
        if let rest = rest(of: url, behind: "https://") { return (.https, rest) }
        if let rest = rest(of: url, behind: "http://") { return (.http, rest) }
        if let rest = rest(of: url, behind: "//") { return (.https, rest) }
        guard let name = schemeName(url) else { return (bareScheme, url) }
        let afterColon = url.dropFirst(name.utf8.count + 1)
        if name == "ssl" { return (.https, afterColon) }
        guard let scheme = Scheme(rawValue: name) else { throw .unsupportedScheme }
        guard let rest = rest(of: afterColon, behind: "//") else { throw .missingSlashes }
        return (scheme, rest)
    }

    /// The bytes after `start`; nil unless `url` begins with it.
    private static func rest(of url: ArraySlice<UInt8>, behind start: StaticString) -> ArraySlice<UInt8>? {
        let start = UnsafeBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount)
        return url.starts(with: start) ? url.dropFirst(start.count) : nil
    }

    /// The scheme of RFC 3986 §3.1, in lower case. `name:8080/…` and `name:8080` are read as host and port, because nobody writes a
    /// scheme followed only by digits; `ssl:` stays a scheme even then.
    private static func schemeName(_ url: ArraySlice<UInt8>) -> String? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), let first = url.first, first.isASCIILetter,
            url[..<colon].allSatisfy({
                $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0)
            })
        else { return nil }
        let name = String(decoding: url[..<colon].map(\.asciiLowercased), as: UTF8.self)
        let digits = url[(colon + 1)...].prefix(while: \.isASCIIDigit)
        let after = url[digits.endIndex...].first
        let isPort =
            !digits.isEmpty && (after == nil || after == UInt8(ascii: "/") || after == UInt8(ascii: "?"))
        return isPort && name != "ssl" ? nil : name
    }

    private static func splitAuthority(
        _ authority: ArraySlice<UInt8>
    ) throws(SourceURLError) -> (ArraySlice<UInt8>, UInt16?) {
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        guard !authority.contains(UInt8(ascii: " ")) else { throw .forbiddenCharacter }
        var hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .invalidAddress }
            hostEnd = bracket + 1
        }
        let host = authority[..<hostEnd]
        guard !host.isEmpty else { throw .missingHost }
        let rest = authority[hostEnd...]
        guard let colon = rest.first else { return (host, nil) }
        guard colon == UInt8(ascii: ":") else { throw .invalidHost }
        let digits = rest.dropFirst()
        // RFC 3986 §3.2.3: an empty port means the default one.
        if digits.isEmpty { return (host, nil) }
        guard digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw .invalidPort }
        return (host, port)
    }
}
