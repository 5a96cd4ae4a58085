// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs

/// Names of files as other services take them: with their extensions, and with whatever characters.
enum FileName {
    /// Characters of a name, which is a token of RFC 6266.
    static let longest = 78
    static let words = "a name of 1…78 characters with a letter or a digit"

    /// Without its extension and the folders before it, and with a low line for each character that a token may not have;
    /// nil where nothing of it is left.
    static func token(_ name: String) -> String? {
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
        let stem = last.lastIndex(of: ".").map { $0 == last.startIndex ? last : last[..<$0] } ?? last
        let token = stem.prefix(longest).map { character in
            character.utf8.count == 1 && character.utf8.allSatisfy(\.isNameByte) ? character : "_"
        }
        return token.contains { $0.isLetter || $0.isNumber } ? String(token) : nil
    }

    /// Of the last segment of a URL's path.
    static func token(lastOf source: SourceURL) -> String? {
        let path = source.absolute.prefix { $0 != "?" }.split(separator: "/").dropFirst(2)
        guard let last = path.last else { return nil }
        let decoded = PercentEscape.decode(lenient: Array(last.utf8)[...])
        return String(validating: decoded, as: UTF8.self).flatMap(token)
    }
}
