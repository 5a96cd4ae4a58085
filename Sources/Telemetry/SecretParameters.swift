// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import RequestGrammar

/// The query parameters whose values are hidden in logs, spans and lists of targets. They are keys and signatures in the URLs of
/// originals, which would give every reader access to what the URLs lead to.
///
/// A URL within a URL (as in `url=`) is searched as well, however often it is percent-encoded. In a path, before the first
/// question mark, a parameter also begins after a comma and ends before the next comma or slash:
/// `/cdn-cgi/image/width=80,sig=…/https://host/a.jpg`, even if it is spelled `width=80%2Csig=…`. In the path of a request's
/// target, a parameter may also follow a slash, and the path may begin with a signature: `/pictures/SIGNATURE/width:80/…`. These
/// two rules apply to targets only, because in other texts a folder or the URL of an original may look the same.
///
/// In a URL's authority, user and password are hidden as one value, whatever the names of parameters are:
/// `https://REDACTED@host/a.jpg`.
///
/// A URL in base64 (`url64=`, imgproxy's sources, imagor's `b64:`) is decoded and, if it contains a secret value, hidden as a
/// whole. Base64 of a URL without a scheme is recognised only behind `url64=` or `b64:`.
package struct SecretParameters: Sendable, Equatable {
    /// Written in place of a value, as OpenTelemetry's conventions prescribe for `url.full`.
    package static let replacement: StaticString = "REDACTED"

    /// Names of secret parameters, in lower case.
    private let names: [[UInt8]]
    /// The beginnings of names of secret parameters, in lower case.
    private let beginnings: [[UInt8]]
    private let places: [PathPlace]
    private let openPlaces: [PathPlace]

    /// - Parameters:
    ///   - names: names of secret parameters, compared without regard to case.
    ///   - patterns: names that may end with `*`, which stands for any ending.
    ///   - places: paths below which the first segment is a signature.
    ///   - openPlaces: paths below which no segment is a signature, even if they lie below one of `places`.
    package init(
        _ names: [String] = [], patterns: [String] = [], signaturesBelow places: [PathPlace] = [],
        openBelow openPlaces: [PathPlace] = []
    ) {
        let open = patterns.filter { $0.hasSuffix("*") }
        self.names = (names + patterns.filter { !$0.hasSuffix("*") }).map { Array($0.lowercased().utf8) }
        beginnings = open.map { Array($0.dropLast().lowercased().utf8) }
        self.places = places.sorted { $0.base.utf8.count > $1.base.utf8.count }
        self.openPlaces = openPlaces
    }

    package enum Kind: Sendable {
        /// A request's target, as in the request line.
        case target
        /// Any other text: the URL of an original, or a message.
        case other
    }

    /// Calls `body` with each piece of the text in order, and with nil in place of each secret value.
    package func forEachPiece(
        of text: UnsafeRawBufferPointer, _ kind: Kind, _ body: (_ piece: UnsafeRawBufferPointer?) -> Void
    ) {
        // Everything before this index was given to `body`.
        var told = 0
        if kind == .target, let segment = signature(in: text) {
            body(UnsafeRawBufferPointer(rebasing: text[..<segment.lowerBound]))
            body(nil)
            told = segment.upperBound
        }
        // Where the present name begins. A name contains no "=", so after the first "=" it is nil until the next delimiter.
        var name: Int? = told
        var position = told
        var isPath = true
        // Base64 before this index was decoded already. Each run is decoded once, even if several URLs could begin in it.
        var decoded = told
        var last = LastAtSign()
        while position < text.count {
            let symbol = URLSymbol(at: position, in: text)
            position = symbol.end
            if symbol.isDelimiter || isPath && (symbol.isComma || kind == .target && symbol.isSlash) {
                name = symbol.end
                if symbol.endsPath { isPath = false }
            } else if symbol.byte == UInt8(ascii: "="), let start = name {
                name = nil
                if isSecret(text[start..<symbol.start]) {
                    position = end(ofValueFrom: symbol.end, depth: symbol.depth, isPath: isPath, in: text)
                    guard position > symbol.end else { continue }
                    body(UnsafeRawBufferPointer(rebasing: text[told..<symbol.end]))
                    body(nil)
                    told = position
                    continue
                }
            }
            if let user = UserInformation.range(behind: symbol, kind, isPath: isPath, in: text, &last) {
                body(UnsafeRawBufferPointer(rebasing: text[told..<user.lowerBound]))
                body(nil)
                (told, position, name) = (user.upperBound, user.upperBound, nil)
                continue
            }
            guard symbol.mayPrecedeBase64, symbol.end >= decoded,
                let digits = Self.encodedURL(
                    in: text, behind: symbol, mayBeCut: isPath && kind == .target)
            else { continue }
            decoded = digits.endIndex
            guard holdsSecret(digits) else { continue }
            body(UnsafeRawBufferPointer(rebasing: text[told..<digits.startIndex]))
            body(nil)
            (told, position, name) = (digits.endIndex, digits.endIndex, nil)
        }
        if told < text.count || text.isEmpty { body(UnsafeRawBufferPointer(rebasing: text[told...])) }
    }

    /// The text with each secret value replaced.
    package func redacted(_ text: String, _ kind: Kind = .other) -> String {
        var (text, result) = (text, [UInt8]())
        text.withUTF8 { bytes in
            forEachPiece(of: UnsafeRawBufferPointer(bytes), kind) { piece in
                if let piece { result += piece } else { result += "\(Self.replacement)".utf8 }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The beginning of a target as it may be shown: it is cut after the secrets are hidden, because the text that marks a secret
    /// may come after it.
    /// - Parameter longest: the most bytes of the result.
    package func shown(_ target: UnsafeRawBufferPointer, longest: Int) -> String {
        var result: [UInt8] = []
        forEachPiece(of: target, .target) { piece in
            guard result.count < longest else { return }
            if let piece { result += piece.prefix(longest) } else { result += "\(Self.replacement)".utf8 }
        }
        return String(decoding: result.prefix(longest), as: UTF8.self)
    }

    /// Hashes a target without its secret values, so that targets that differ only in these count as one. Allocates nothing.
    package func hash(_ target: UnsafeRawBufferPointer, into hasher: inout Hasher) {
        forEachPiece(of: target, .target) { piece in
            if let piece {
                hasher.combine(bytes: piece)
            } else {
                Self.replacement.withUTF8Buffer { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// The segment of a target's path that is its signature; nil if it has none.
    private func signature(in text: UnsafeRawBufferPointer) -> Range<Int>? {
        guard !places.isEmpty else { return nil }
        let start = Self.path(in: text)
        for place in places {
            let base = place.base.utf8
            guard Self.isBelow(place, text[start...]) else { continue }
            // As a target is read: by the longest place that it is below.
            let isOpen = openPlaces.contains {
                $0.base.utf8.count > base.count && Self.isBelow($0, text[start...])
            }
            if isOpen { return nil }
            var first = start + base.count + 1
            var segment = Self.segment(of: text, from: first)
            if Self.reports.contains(where: { segment.elementsEqual($0.utf8) }),
                segment.endIndex < text.count, text[segment.endIndex] == UInt8(ascii: "/")
            {
                first = segment.endIndex + 1
                segment = Self.segment(of: text, from: first)
            }
            let isWord = Self.words.contains { segment.elementsEqual($0.utf8) }
            // A single segment below `/` is a file such as favicon.ico, or an unknown path.
            let isLone = base.isEmpty && (segment.endIndex == text.count || text[segment.endIndex] != 0x2F)
            let isOwn =
                base.isEmpty && PathPlace.ownSegments.contains { segment.elementsEqual($0.utf8) }
            return segment.isEmpty || isWord || isLone || isOwn ? nil : first..<segment.endIndex
        }
        return nil
    }

    private static func isBelow(_ place: PathPlace, _ path: Slice<UnsafeRawBufferPointer>) -> Bool {
        let base = place.base.utf8
        return path.starts(with: base) && path.dropFirst(base.count).first == UInt8(ascii: "/")
    }

    private static func segment(of text: UnsafeRawBufferPointer, from start: Int) -> Slice<
        UnsafeRawBufferPointer
    > {
        text[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }

    /// The segments that precede the signature in URLs that ask for JSON, in imgproxy's and imagor's dialects.
    private static let reports = ["info", "params"]

    /// The segments that stand in place of a signature.
    private static let words = ["insecure", "unsafe", "_"]

    /// Where the path begins; in a target in absolute form, behind the host (RFC 9112 §3.2.2).
    private static func path(in text: UnsafeRawBufferPointer) -> Int {
        guard let first = text.first, first != UInt8(ascii: "/") else { return 0 }
        for scheme in ["http://", "https://"] {
            let count = scheme.utf8.count
            guard text.prefix(count).map(\.asciiLowercased) == Array(scheme.utf8) else { continue }
            return text[count...].firstIndex(of: UInt8(ascii: "/")) ?? text.count
        }
        return 0
    }

    private func isSecret(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard !name.isEmpty else { return false }
        return names.contains { URLSymbol.end(of: $0, in: name) == name.endIndex }
            || beginnings.contains { URLSymbol.end(of: $0, in: name) != nil }
    }

    /// The digits of a base64url text behind a symbol, percent-encoded or not, if they begin like those of an http or https URL,
    /// or if `url64=` or `b64:` precedes them; nil otherwise.
    /// - Parameter mayBeCut: true if slashes may divide the digits, as imgproxy allows.
    private static func encodedURL(
        in text: UnsafeRawBufferPointer, behind symbol: URLSymbol, mayBeCut: Bool
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard beginsURL(text[symbol.end...], mayBeCut: mayBeCut) || announcesBase64(symbol, in: text) else {
            return nil
        }
        var end = symbol.end
        while end < text.count {
            let digit = URLSymbol(at: end, in: text)
            let isCut = mayBeCut && digit.isSlash
            // A slash ends the digits if another base64 URL begins behind it, such as the source behind a watermark.
            guard isCut ? !beginsURL(text[digit.end...], mayBeCut: true) : digit.byte.isBase64URLDigit
            else { break }
            end = digit.end
        }
        return text[symbol.end..<end]
    }

    /// True if the text begins with the base64 digits of "http", in upper or lower case.
    private static func beginsURL(_ text: Slice<UnsafeRawBufferPointer>, mayBeCut: Bool) -> Bool {
        var count = 0
        for byte in text {
            // A slash before the first digit is no cut. Otherwise a text of slashes would be read to its end for each of them.
            if mayBeCut, count > 0, byte == UInt8(ascii: "/") { continue }
            guard isOfHTTP(byte, at: count) else { return false }
            count += 1
            if count == 5 { return true }
        }
        return false
    }

    /// True for each of the first five digits. Two bits of the "p" are in the sixth, and they are 0.
    private static func isOfHTTP(_ digit: UInt8, at index: Int) -> Bool {
        switch index {
        case 0: digit == UInt8(ascii: "a") || digit == UInt8(ascii: "S")
        case 1: digit == UInt8(ascii: "H") || digit == UInt8(ascii: "F")
        case 2: digit == UInt8(ascii: "R")
        case 3: digit == UInt8(ascii: "0") || digit == UInt8(ascii: "U")
        default: digit == UInt8(ascii: "c") || digit == UInt8(ascii: "U")
        }
    }

    /// True for the symbol behind `url64` or `b64`, whatever text follows.
    private static func announcesBase64(_ symbol: URLSymbol, in text: UnsafeRawBufferPointer) -> Bool {
        let before = text[..<symbol.start]
        return switch symbol.byte {
        case UInt8(ascii: "="): before.suffix(5).elementsEqual("url64".utf8)
        case UInt8(ascii: ":"): before.suffix(3).elementsEqual("b64".utf8)
        default: false
        }
    }

    /// True if the URL that these digits encode has a secret value.
    private func holdsSecret(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        let digits = Self.plain(digits)
        // Behind the URL may be a file name, which leaves digits that encode no whole byte.
        guard let url = Base64URL.decode(digits) ?? Base64URL.decode(digits.dropLast(digits.count % 4)) else {
            return false
        }
        var isFound = false
        url.withUnsafeBytes { bytes in
            forEachPiece(of: bytes, .other) { piece in if piece == nil { isFound = true } }
        }
        return isFound
    }

    /// The digits without slashes and percent-encoding, because the values of `url64=` and `b64:` are percent-decoded first.
    private static func plain(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var (plain, position) = ([UInt8](), digits.startIndex)
        while position < digits.endIndex {
            let symbol = URLSymbol(at: position, in: digits.base)
            if !symbol.isSlash { plain.append(symbol.byte) }
            position = symbol.end
        }
        return plain
    }

    /// A value ends before a delimiter that is encoded at most as often as the value's "="; a delimiter that is encoded more
    /// often belongs to the value.
    private func end(
        ofValueFrom start: Int, depth: Int, isPath: Bool, in text: UnsafeRawBufferPointer
    ) -> Int {
        var position = start
        while position < text.count {
            let symbol = URLSymbol(at: position, in: text)
            let isDelimiter = symbol.isDelimiter || isPath && (symbol.isComma || symbol.isSlash)
            if isDelimiter, symbol.depth <= depth { return symbol.start }
            position = symbol.end
        }
        return text.count
    }
}

extension UInt8 {
    fileprivate var isBase64URLDigit: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
