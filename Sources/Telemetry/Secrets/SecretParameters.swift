// SPDX-License-Identifier: Apache-2.0

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
/// A name with brackets is secret if the text before, between or behind them is: `token[]`, `user[token]`. Frameworks write lists
/// and members so.
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
    private let places: SignedPlaces

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
        self.places = SignedPlaces(places, open: openPlaces)
    }

    package enum Kind: Sendable {
        /// A request's target, as in the request line.
        case target
        /// Any other text: the URL of an original, or a message.
        case other
    }

    /// Calls `body` with each piece of the text in order, and with nil in place of each secret value.
    func forEachPiece(
        of text: UnsafeRawBufferPointer, _ kind: Kind, _ body: (_ piece: UnsafeRawBufferPointer?) -> Void
    ) {
        // Everything before this index was given to `body`.
        var told = 0
        func hide(_ secret: Range<Int>) {
            body(UnsafeRawBufferPointer(rebasing: text[told..<secret.lowerBound]))
            body(nil)
            told = secret.upperBound
        }
        if kind == .target, let segment = places.signature(in: text) { hide(segment) }
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
                    if position > symbol.end { hide(symbol.end..<position) }
                    continue
                }
            }
            if let user = UserInformation.range(behind: symbol, kind, isPath: isPath, in: text, &last) {
                hide(user)
                (position, name) = (user.upperBound, nil)
                continue
            }
            guard symbol.mayPrecedeBase64, symbol.end >= decoded,
                let digits = EncodedURL.digits(
                    in: text, behind: symbol, mayBeCut: isPath && kind == .target)
            else { continue }
            decoded = digits.endIndex
            guard holdsSecret(digits) else { continue }
            hide(digits.startIndex..<digits.endIndex)
            (position, name) = (digits.endIndex, nil)
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

    private func isSecret(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        if isSecretWord(name) { return true }
        var (word, position) = (name.startIndex, name.startIndex)
        while position < name.endIndex {
            let symbol = URLSymbol(at: position, in: name.base)
            position = symbol.end
            guard symbol.isBracket else { continue }
            if isSecretWord(name[word..<symbol.start]) { return true }
            word = symbol.end
        }
        // Without brackets this is the whole name, of which the answer is known.
        return word > name.startIndex && isSecretWord(name[word...])
    }

    private func isSecretWord(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard !name.isEmpty else { return false }
        return names.contains { URLSymbol.end(of: $0, in: name) == name.endIndex }
            || beginnings.contains { URLSymbol.end(of: $0, in: name) != nil }
    }

    /// True if the URL that these digits encode has a secret value.
    private func holdsSecret(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let url = EncodedURL.decoded(digits) else { return false }
        var isFound = false
        url.withUnsafeBytes { bytes in
            forEachPiece(of: bytes, .other) { piece in if piece == nil { isFound = true } }
        }
        return isFound
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
