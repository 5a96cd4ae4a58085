// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Finds the user and password of a URL (RFC 3986 §3.2.1), which stand before the last "@" of its authority. URLs with a user are
/// refused, but they are still logged and may be malformed, so these spellings are recognised:
///
/// - `//user:password@host` after the colon of any scheme, or after an "=".
/// - `https:/user:password@host` and `https:\\user:password@host`, after `http:` and `https:`, because some proxies merge slashes.
/// - `url=user:password@host`, without a scheme; likewise after `default=`, `errorredirect=` and `wm=`.
/// - `/user:password@host/a.jpg` in a target's path, and `"user:password@host/a.jpg"` in an order, without a scheme;
///   `watermark(user:password@host/a.jpg)` in both.
/// - `https://user:pass/word@host`: the slash belongs to the password, because `pass` cannot be a port.
///
/// Each search ends at the next mark that could begin one of its kind, so that even a text with many marks is read once.
enum UserInformation {
    /// The user and password behind a symbol; nil if there are none.
    /// - Parameters:
    ///   - isPath: true if the symbol is before the first question mark.
    ///   - last: the last "@" of words in this text.
    static func range(
        behind symbol: URLSymbol, _ kind: SecretParameters.Kind, isPath: Bool,
        in text: UnsafeRawBufferPointer,
        _ last: inout LastAtSign
    ) -> Range<Int>? {
        switch symbol.byte {
        case UInt8(ascii: ":"), UInt8(ascii: "="): break
        case UInt8(ascii: "/") where kind == .target && isPath && symbol.depth == 0:
            return segmentUser(from: symbol.end, in: text) ?? plainUser(behind: symbol, in: text, &last)
        case UInt8(ascii: "\"") where kind == .other && symbol.isQuote:
            return segmentUser(from: symbol.end, in: text)
        case UInt8(ascii: "("): return argumentUser(from: symbol.end, in: text, &last)
        default: return nil
        }
        guard let opening = Opening(behind: symbol, in: text) else {
            return announcesURL(symbol, in: text) ? bareUser(behind: symbol, in: text, &last) : nil
        }
        let authority = Authority(from: opening.end, in: text) { end in
            // A slash that is encoded more often than the URL's own slashes belongs to the password.
            if end.endsAuthority || opening.hasBackslash && end.isBackslash {
                return end.depth <= opening.depth
            }
            // An "&" belongs to the password, too, if it is encoded as often as the URL is, or if no parameters can follow the
            // URL.
            return kind == .target && end.byte == UInt8(ascii: "&") && end.depth < max(1, symbol.depth)
        }
        return authority.user ?? authority.cutUser(in: text, &last)
    }

    /// The slashes between the colon of a scheme, or an "=", and an authority.
    private struct Opening {
        private(set) var end: Int
        /// How often the last slash is percent-encoded.
        private(set) var depth: Int
        private(set) var hasBackslash = false
        /// The greatest accepted `depth`. Without a limit, each slash of a text in which every slash is encoded once more than
        /// the one before would start a search through the rest.
        private static let deepest = 8

        /// Nil if no authority can follow.
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
            // Behind any other scheme, a single slash begins a path, as in `file:/a@2x.png`.
            guard isWeb ? count > 0 : count == 2, depth <= Self.deepest else { return nil }
        }
    }

    /// User and password of `url=user:password@host/a.jpg`. Another `url=` ends the search, so that a text with many is read
    /// once.
    private static func bareUser(
        behind equals: URLSymbol, in text: UnsafeRawBufferPointer, _ last: inout LastAtSign
    ) -> Range<Int>? {
        let authority = Authority(
            from: equals.end, hostFrom: URLSymbol.end(of: short, in: text[equals.end...]), in: text
        ) { end in
            end.endsAuthority || end.isDelimiter && end.depth <= equals.depth || announcesURL(end, in: text)
        }
        return authority.user ?? authority.cutUser(in: text, &last)
    }

    /// The prefix `ssl:` stands for https: `ssl:host/a.jpg` is `https://host/a.jpg`.
    private static let short = Array("ssl:".utf8)

    /// User and password of a segment or a string that begins like `user:password@host/`. A name with an "@", such as
    /// `File:a@2x.png`, has no slash behind it. Filters of thumbor and imagor may contain an "@", so they are excluded; values of
    /// parameters are handled elsewhere.
    private static func segmentUser(from start: Int, in text: UnsafeRawBufferPointer) -> Range<Int>? {
        guard !text[start...].starts(with: "filters:".utf8) else { return nil }
        // A password may contain an "=", so an "=" ends the search only before the first colon.
        var mayBeName = true
        let authority = Authority(from: start, in: text) { symbol in
            if symbol.byte == UInt8(ascii: ":") { mayBeName = false }
            let endsName = mayBeName && symbol.byte == UInt8(ascii: "=") && symbol.depth == 0
            return symbol.endsAuthority || symbol.isQuote || endsName
        }
        guard let user = authority.userWithPassword else { return nil }
        var position = user.upperBound
        while position < text.count {
            let symbol = URLSymbol(at: position, in: text)
            if symbol.byte == UInt8(ascii: "/") { return user }
            if symbol.endsAuthority || symbol.isQuote { return nil }
            position = symbol.end
        }
        return nil
    }

    /// User and password of imgproxy's `plain/user:pass/word@host/a.jpg`.
    private static func plainUser(
        behind slash: URLSymbol, in text: UnsafeRawBufferPointer, _ last: inout LastAtSign
    ) -> Range<Int>? {
        guard text[..<slash.start].suffix(6).elementsEqual("/plain".utf8) else { return nil }
        return Authority(from: slash.end, in: text) { $0.endsAuthority }.cutUser(in: text, &last)
    }

    /// User and password of `watermark(user:password@host/a.jpg,0,0)`.
    private static func argumentUser(
        from start: Int, in text: UnsafeRawBufferPointer, _ last: inout LastAtSign
    ) -> Range<Int>? {
        // Parentheses and commas end the search, so that a text with many parentheses is read once.
        let authority = Authority(from: start, in: text) { symbol in
            symbol.endsAuthority || symbol.endsArgument || text[symbol.start].endsWord
        }
        if let user = authority.userWithPassword { return user }
        guard authority.end < text.count, URLSymbol(at: authority.end, in: text).endsAuthority else {
            return nil
        }
        return authority.cutUser(in: text, &last)
    }

    /// True for the "=" behind the name of a parameter whose value is a URL, whatever text follows.
    private static func announcesURL(_ symbol: URLSymbol, in text: UnsafeRawBufferPointer) -> Bool {
        guard symbol.byte == UInt8(ascii: "=") else { return false }
        let before = text[..<symbol.start]
        func ends(with name: String.UTF8View) -> Bool { before.suffix(name.count).elementsEqual(name) }
        return ends(with: "url".utf8) || ends(with: "wm".utf8) || ends(with: "default".utf8)
            || ends(with: "errorredirect".utf8)
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

/// A text that may be the authority of a URL (RFC 3986 §3.2): `user:password@host:port`.
private struct Authority {
    private let start: Int
    /// Where a user or a host may begin, behind the prefix `ssl:` if there is one.
    private let host: Int
    /// Where the first symbol begins that is not part of the authority.
    private(set) var end: Int
    /// Where the last "@" is; a password may contain others.
    private var sign: Int?
    /// Where the text behind the first colon begins.
    private var colon: Int?

    /// - Parameter hostFrom: see `host`; nil for the start.
    init(
        from start: Int, hostFrom: Int? = nil, in text: UnsafeRawBufferPointer,
        until isEnd: (URLSymbol) -> Bool
    ) {
        (self.start, host, end) = (start, hostFrom ?? start, start)
        while end < text.count {
            let symbol = URLSymbol(at: end, in: text)
            if isEnd(symbol) { break }
            if symbol.isAtSign(in: text) { sign = symbol.start }
            if colon == nil, symbol.byte == UInt8(ascii: ":"), symbol.start >= host { colon = symbol.end }
            end = symbol.end
        }
    }

    var user: Range<Int>? { sign.flatMap { start < $0 ? start..<$0 : nil } }

    /// As `user`, but nil if there is no colon.
    var userWithPassword: Range<Int>? {
        user.flatMap { user in colon.map { $0 <= user.upperBound } ?? false ? user : nil }
    }

    /// The user and password, if the text behind the colon cannot be a port (RFC 3986 §3.2.3). Then the symbol at `end` is part of the
    /// password, and so is everything up to the word's last "@".
    func cutUser(in text: UnsafeRawBufferPointer, _ last: inout LastAtSign) -> Range<Int>? {
        guard let colon, end < text.count, URLSymbol(at: host, in: text).byte != UInt8(ascii: "[") else {
            return nil
        }
        let port = text[colon..<end]
        guard port.count > 5 || !port.allSatisfy(\.isASCIIDigit) else { return nil }
        // If there is a space or a quotation mark in between, as in a message, the symbol at `end` may be part of another URL.
        guard !text[start..<end].contains(where: \.endsWord) else { return nil }
        return last.position(behind: end, in: text).map { start..<$0 }
    }
}

/// The last "@" of a word, which ends with a space, a control character or a quotation mark. Each word is read only once, however often
/// `position` is called.
struct LastAtSign {
    /// Where the word ends that was read last.
    private var end = 0
    private var sign: Int?

    mutating func position(behind start: Int, in text: UnsafeRawBufferPointer) -> Int? {
        if start >= end {
            (end, sign) = (start, nil)
            while end < text.count, !text[end].endsWord {
                let symbol = URLSymbol(at: end, in: text)
                if symbol.isAtSign(in: text) { sign = symbol.start }
                end = symbol.end
            }
        }
        return sign.flatMap { $0 > start ? $0 : nil }
    }
}

extension UInt8 {
    fileprivate var endsWord: Bool { self <= 0x20 || self == UInt8(ascii: "\"") }
}

extension URLSymbol {
    fileprivate var isBackslash: Bool { byte == UInt8(ascii: "\\") }
    fileprivate var isQuote: Bool { depth == 0 && byte == UInt8(ascii: "\"") }
    fileprivate var endsArgument: Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: ",")
    }

    /// True for an "@", and for the first byte of "＠" (U+FF20) and "﹫" (U+FE6B), which a host name's normalisation turns into "@"
    /// (UTS 46).
    fileprivate func isAtSign(in text: UnsafeRawBufferPointer) -> Bool {
        if byte == UInt8(ascii: "@") { return true }
        guard byte == 0xEF, end < text.count else { return false }
        let second = URLSymbol(at: end, in: text)
        guard second.end < text.count else { return false }
        let third = URLSymbol(at: second.end, in: text)
        return (second.byte, third.byte) == (0xBC, 0xA0) || (second.byte, third.byte) == (0xB9, 0xAB)
    }
}
