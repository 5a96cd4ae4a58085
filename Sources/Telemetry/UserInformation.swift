// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// User and password of a URL (RFC 3986 §3.2.1), which stand before the last "@" of its authority. A URL with them is refused, and may
/// then be written in ways that no reader takes:
///
/// - `//user:password@host` behind the colon of any scheme, or behind an "=".
/// - `https:/user:password@host` and `https:\\user:password@host`, behind the schemes of the web: some proxies merge slashes.
/// - `url=user:password@host`, without a scheme.
/// - `/user:password@host/a.jpg` in a target's path, and `"user:password@host/a.jpg"` in an order, without one either.
///
/// What these look for ends at the next of the marks that they begin with, so that a text of many is read once.
enum UserInformation {
    /// User and password behind a symbol; nil where there are none.
    /// - Parameter isPath: the symbol stands before the first question mark.
    static func range(
        behind symbol: URLSymbol, _ kind: SecretParameters.Kind, isPath: Bool, in text: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        switch symbol.byte {
        case UInt8(ascii: ":"), UInt8(ascii: "="): break
        case UInt8(ascii: "/") where kind == .target && isPath && symbol.depth == 0:
            return segmentUser(from: symbol.end, in: text)
        case UInt8(ascii: "\"") where kind == .other && symbol.isQuote:
            return segmentUser(from: symbol.end, in: text)
        default: return nil
        }
        guard let opening = Opening(behind: symbol, in: text) else {
            return announcesURL(symbol, in: text) ? bareUser(behind: symbol, in: text) : nil
        }
        return user(from: opening.end, in: text) { end in
            // A slash that is encoded more often than the URL's own belongs to the password.
            if end.endsAuthority || opening.hasBackslash && end.isBackslash {
                return end.depth <= opening.depth
            }
            // So does an "&" that is encoded as often as the URL is, or stands where there are no parameters behind the URL.
            return kind == .target && end.byte == UInt8(ascii: "&") && end.depth < max(1, symbol.depth)
        }
    }

    /// What stands between the colon of a scheme, or an "=", and an authority.
    private struct Opening {
        private(set) var end: Int
        /// How often the last slash is encoded.
        private(set) var depth: Int
        private(set) var hasBackslash = false

        /// Nil where it is none.
        init?(behind symbol: URLSymbol, in text: UnsafeRawBufferPointer) {
            (end, depth) = (symbol.end, symbol.depth)
            let isWeb = UserInformation.isWebScheme(before: symbol, in: text)
            var count = 0
            while end < text.count, isWeb || count < 2 {
                let slash = URLSymbol(at: end, in: text)
                guard slash.byte == UInt8(ascii: "/") || isWeb && slash.isBackslash else { break }
                if slash.isBackslash { hasBackslash = true }
                (end, depth, count) = (slash.end, slash.depth, count + 1)
            }
            // Other schemes have one slash before a path, as `file:/a@2x.png`.
            guard isWeb ? count > 0 : count == 2 else { return nil }
        }
    }

    /// User and password of `url=user:password@host/a.jpg`. Another `url=` ends them, so that of many each is read once.
    private static func bareUser(behind equals: URLSymbol, in text: UnsafeRawBufferPointer) -> Range<Int>? {
        user(from: equals.end, in: text) { end in
            end.endsAuthority || end.isDelimiter && end.depth <= equals.depth || announcesURL(end, in: text)
        }
    }

    /// User and password of a segment or a string that begins like `user:password@host/`. Names with an "@", as `File:a@2x.png`, end
    /// a path; the filters of thumbor and imagor may hold one, and a parameter's value is not for here.
    private static func segmentUser(from start: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
        // A password may have an "=", behind the colon alone.
        var mayBeName = true
        guard !text[start...].starts(with: "filters:".utf8),
            let user = user(
                from: start, in: text,
                until: { symbol in
                    if symbol.byte == UInt8(ascii: ":") { mayBeName = false }
                    let endsName = mayBeName && symbol.byte == UInt8(ascii: "=") && symbol.depth == 0
                    return symbol.endsAuthority || symbol.isQuote || endsName
                })
        else { return nil }
        let colon = first(from: start, in: text) {
            $0.byte == UInt8(ascii: ":") || $0.start >= user.upperBound
        }
        let end = first(from: user.upperBound, in: text) { $0.endsAuthority || $0.isQuote }
        guard let colon, colon.start < user.upperBound, end?.byte == UInt8(ascii: "/") else { return nil }
        return user
    }

    /// What stands before the last "@" of an authority: a password may have one itself.
    private static func user(
        from start: Int, in text: UnsafeRawBufferPointer, until isEnd: (URLSymbol) -> Bool
    ) -> Range<Int>? {
        var (position, end) = (start, start)
        while position < text.count {
            let symbol = URLSymbol(at: position, in: text)
            if isEnd(symbol) { break }
            if symbol.byte == UInt8(ascii: "@") { end = symbol.start }
            position = symbol.end
        }
        return start < end ? start..<end : nil
    }

    private static func first(
        from start: Int, in text: UnsafeRawBufferPointer, where isMeant: (URLSymbol) -> Bool
    ) -> URLSymbol? {
        var position = start
        while position < text.count {
            let symbol = URLSymbol(at: position, in: text)
            if isMeant(symbol) { return symbol }
            position = symbol.end
        }
        return nil
    }

    /// True behind `url=`, whatever follows.
    private static func announcesURL(_ symbol: URLSymbol, in text: UnsafeRawBufferPointer) -> Bool {
        symbol.byte == UInt8(ascii: "=") && text[..<symbol.start].suffix(3).elementsEqual("url".utf8)
    }

    /// True for the colon of `http:` and `https:`.
    private static func isWebScheme(before symbol: URLSymbol, in text: UnsafeRawBufferPointer) -> Bool {
        guard symbol.byte == UInt8(ascii: ":") else { return false }
        let before = text[..<symbol.start]
        func ends(with scheme: String.UTF8View) -> Bool {
            before.suffix(scheme.count).elementsEqual(scheme) { $0.asciiLowercased == $1 }
        }
        return ends(with: "https".utf8) || ends(with: "http".utf8)
    }
}

extension URLSymbol {
    fileprivate var isBackslash: Bool { byte == UInt8(ascii: "\\") }
    fileprivate var isQuote: Bool { depth == 0 && byte == UInt8(ascii: "\"") }
}
