// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import RequestGrammar
internal import SourceURLs

/// Names of files as other services take them: with their extensions, and with whatever characters.
enum FileName {
    /// Characters of a name.
    static let longest = 78
    static let words = "a name of 1…78 characters with a letter or a digit"

    /// Names the file, which is called `image` where nothing is left of the name for a token of RFC 6266.
    /// - Parameter stem: without an extension.
    /// - Returns: false, and names nothing, where no letter and no digit is in it.
    static func give(_ stem: some StringProtocol, to delivery: inout Delivery) -> Bool {
        let full = String(String.UnicodeScalarView(stem.unicodeScalars.prefix(longest).map(visible)))
        guard holdsName(full) else { return false }
        delivery.filename = token(full) ?? "image"
        delivery.fullName = full == delivery.filename ? nil : full
        return true
    }

    /// Names the file by the last segment of a URL's path. False where that holds no name.
    static func give(lastOf source: SourceURL, to delivery: inout Delivery) -> Bool {
        let path = source.absolute.prefix { $0 != "?" }.split(separator: "/").dropFirst(2)
        guard let last = path.last.flatMap(unescaped) else { return false }
        return give(stem(last), to: &delivery)
    }

    /// Without its extension and the folders before it.
    static func stem(_ name: String) -> Substring {
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
        return last.lastIndex(of: ".").map { $0 == last.startIndex ? last : last[..<$0] } ?? last
    }

    /// A segment of a path, its escapes undone; nil for what is no UTF-8.
    static func unescaped(_ segment: Substring) -> String? {
        String(validating: PercentEscape.decode(lenient: Array(segment.utf8)[...]), as: UTF8.self)
    }

    /// With a low line for each character that a token may not have; nil where nothing of it is left.
    private static func token(_ name: String) -> String? {
        let token = String(
            name.map { character in
                character.utf8.count == 1 && character.utf8.allSatisfy(\.isNameByte) ? character : "_"
            })
        return holdsName(token) ? token : nil
    }

    private static func holdsName(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }

    /// A low line in place of what separates folders, of control characters, and of those that turn the direction of writing.
    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: "_"
        default: scalar == "/" || scalar == "\\" ? "_" : scalar
        }
    }
}
