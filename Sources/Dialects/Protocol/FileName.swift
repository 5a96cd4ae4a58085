// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import RequestGrammar
internal import SourceURLs

/// File names as other services accept them: with their extensions, and with any characters.
enum FileName {
    /// The most characters of a name.
    static let longest = 78
    static let words = "a name of 1…78 characters with a letter or a digit"

    /// Names the file; if no character of the name is allowed in a token of RFC 6266, the token is `image`.
    /// - Parameter stem: the name without an extension.
    /// - Returns: false, without naming the file, if the name has no letter and no digit.
    static func give(_ stem: some StringProtocol, to delivery: inout Delivery) -> Bool {
        let full = String(String.UnicodeScalarView(stem.unicodeScalars.prefix(longest).map(visible)))
        guard holdsName(full) else { return false }
        delivery.filename = token(full) ?? "image"
        delivery.fullName = full == delivery.filename ? nil : full
        return true
    }

    /// Names the file by the last segment of a URL's path. False if that is no usable name.
    static func give(lastOf source: SourceURL, to delivery: inout Delivery) -> Bool {
        let path = source.absolute.prefix { $0 != "?" }.split(separator: "/").dropFirst(2)
        guard let last = path.last.flatMap(unescaped) else { return false }
        return give(stem(last), to: &delivery)
    }

    /// The file name without its extension and the folders before it.
    static func stem(_ name: String) -> Substring {
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
        return last.lastIndex(of: ".").map { $0 == last.startIndex ? last : last[..<$0] } ?? last
    }

    /// A decoded segment of a path; nil for invalid UTF-8.
    static func unescaped(_ segment: Substring) -> String? {
        String(validating: PercentEscape.decode(lenient: Array(segment.utf8)[...]), as: UTF8.self)
    }

    /// The name with an underscore for each character that a token may not have; nil if nothing else is left.
    private static func token(_ name: String) -> String? {
        let token = String(
            name.map { character in
                character.utf8.count == 1 && character.utf8.allSatisfy(\.isNameByte) ? character : "_"
            })
        return holdsName(token) ? token : nil
    }

    private static func holdsName(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }

    /// An underscore in place of folder separators, control characters, and characters that change the direction of writing.
    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: "_"
        default: scalar == "/" || scalar == "\\" ? "_" : scalar
        }
    }
}
