// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import RequestGrammar

/// The query parameters whose values are not shown in logs, spans and lists of targets: keys and signatures in the URLs of
/// originals, which open what they lead to for whoever reads them.
///
/// A URL within a URL is read as well, however often it is percent-encoded, because `url=` carries one. In a path, before
/// the first question mark, what follows a comma is a parameter, up to a comma or a slash:
/// `/cdn-cgi/image/width=80,sig=…/https://host/a.jpg`, also where it is `width=80%2Csig=…`. In the path of a request's target the
/// first of them follows a slash, and it may also begin with a signature: `/pictures/SIGNATURE/width:80/…`. No other text has
/// that: a folder or the URL of an original may look alike.
///
/// In a URL's authority, user and password are one value: `https://REDACTED@host/a.jpg`. They are hidden without any name of a
/// parameter, too.
///
/// A URL in base64 (`url64=`, imgproxy's sources, imagor's `b64:`) is decoded, and not written at all if it has such a value. One
/// without a scheme is known by `url64=` or `b64:` alone.
package struct SecretParameters: Sendable, Equatable {
    /// Written in place of a value, as OpenTelemetry's conventions for `url.full` have it.
    package static let replacement: StaticString = "REDACTED"

    /// In lower case.
    private let names: [[UInt8]]
    /// Of names, in lower case.
    private let beginnings: [[UInt8]]
    private let places: [PathPlace]
    private let openPlaces: [PathPlace]

    /// - Parameters:
    ///   - names: of parameters, compared without case.
    ///   - patterns: as names, with `*` at the end for any end.
    ///   - places: paths below which the first segment is a signature.
    ///   - openPlaces: paths below which none is, also where they lie below one of the others.
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

    /// The kind of a text.
    package enum Kind: Sendable {
        /// A request's target, as its first line has it.
        case target
        /// Any other: a URL of an original, a message.
        case other
    }

    /// Calls `body` with each piece of the text in order, and with nil in place of each secret value.
    package func forEachPiece(
        of text: UnsafeRawBufferPointer, _ kind: Kind, _ body: (_ piece: UnsafeRawBufferPointer?) -> Void
    ) {
        // Up to here, everything was given to `body`.
        var told = 0
        if kind == .target, let segment = signature(in: text) {
            body(UnsafeRawBufferPointer(rebasing: text[..<segment.lowerBound]))
            body(nil)
            told = segment.upperBound
        }
        // No name has a "=": what stands behind the first one is looked at no more.
        var name: Int? = told
        var position = told
        var isPath = true
        // Up to here, base64 was decoded: once, however many URLs it may be taken for.
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

    /// The beginning of a target as it may be shown: cut behind the secrets are hidden, because what hides one may follow it.
    /// - Parameter longest: in bytes.
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

    /// The segment of a target's path that is its signature; nil where there is none.
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
            // A lone segment below `/` is a file as favicon.ico, or nothing.
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

    /// Stand before the signature of a URL that asks for JSON: imgproxy's and imagor's.
    private static let reports = ["info", "params"]

    /// Stand in place of a signature.
    private static let words = ["insecure", "unsafe", "_"]

    /// Where the path begins: of a target in absolute form behind the host (RFC 9112 §3.2.2).
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

    /// The digits of base64url behind a symbol, percent-encoded or not, if they begin as those of any URL of the web do, or are said
    /// to be some; nil for other text.
    /// - Parameter mayBeCut: slashes between digits are none of them, as imgproxy has it.
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
            // Another URL begins with digits of its own, as a source behind a watermark's.
            guard isCut ? !beginsURL(text[digit.end...], mayBeCut: true) : digit.byte.isBase64URLDigit
            else { break }
            end = digit.end
        }
        return text[symbol.end..<end]
    }

    /// True for the digits of "http", in any case of its letters.
    private static func beginsURL(_ text: Slice<UnsafeRawBufferPointer>, mayBeCut: Bool) -> Bool {
        var count = 0
        for byte in text {
            // None before the first: a text of slashes alone is not read to its end for each of them.
            if mayBeCut, count > 0, byte == UInt8(ascii: "/") { continue }
            guard isOfHTTP(byte, at: count) else { return false }
            count += 1
            if count == 5 { return true }
        }
        return false
    }

    /// The first five digits. Two bits of the "p" are in the sixth, and they are 0.
    private static func isOfHTTP(_ digit: UInt8, at index: Int) -> Bool {
        switch index {
        case 0: digit == UInt8(ascii: "a") || digit == UInt8(ascii: "S")
        case 1: digit == UInt8(ascii: "H") || digit == UInt8(ascii: "F")
        case 2: digit == UInt8(ascii: "R")
        case 3: digit == UInt8(ascii: "0") || digit == UInt8(ascii: "U")
        default: digit == UInt8(ascii: "c") || digit == UInt8(ascii: "U")
        }
    }

    /// True behind `url64` and `b64`, whatever follows.
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
        // What follows a URL may be a name, whose digits are of no whole byte.
        guard let url = Base64URL.decode(digits) ?? Base64URL.decode(digits.dropLast(digits.count % 4)) else {
            return false
        }
        var isFound = false
        url.withUnsafeBytes { bytes in
            forEachPiece(of: bytes, .other) { piece in if piece == nil { isFound = true } }
        }
        return isFound
    }

    /// Without slashes and escapes: `url64=` and `b64:` are decoded before the base64 is.
    private static func plain(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var (plain, position) = ([UInt8](), digits.startIndex)
        while position < digits.endIndex {
            let symbol = URLSymbol(at: position, in: digits.base)
            if !symbol.isSlash { plain.append(symbol.byte) }
            position = symbol.end
        }
        return plain
    }

    /// A value ends with a delimiter that is encoded no more often than its "=": others belong to it.
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
