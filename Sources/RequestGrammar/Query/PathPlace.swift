// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The place of a path dialect, whose URLs have everything in their path: below a path, or below `/`, where Pictor's own paths are
/// excluded.
package struct PathPlace: Sendable, Hashable {
    /// The path without a slash at its end: `/imgproxy`. Empty for `/`.
    package let base: String

    /// - Parameter text: `/`, or segments of A–Z a–z 0–9 . _ - after slashes, with or without a slash at the end; nil for anything
    ///   else, and for a path below one of `ownSegments`.
    package init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        let segments = base.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let areNames = segments.allSatisfy { segment in
            !segment.isEmpty && segment.utf8.allSatisfy(\.isNameByte) && segment != "." && segment != ".."
        }
        guard areNames, !Self.ownSegments.contains(segments.first.map(String.init) ?? "") else { return nil }
        self.base = base
    }

    /// The place for people and for settings: `/imgproxy/`.
    package var text: String { base + "/" }

    /// The allowed form, for a message about a setting.
    package static let form = "/ or a path of names as /pictures, and none of Pictor's own"

    /// Paths that begin with these segments are never those of a dialect at `/`.
    package static let ownSegments: Set<String> = ["_next", "_vercel", "health", "img", "playground"]

    /// The path after the place and its slash, with its escapes; nil if the path lies elsewhere. A single segment below `/`, such as
    /// `/favicon.ico`, belongs to no dialect.
    package func rest(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let prefix = text.utf8
        guard path.starts(with: prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        guard base.isEmpty else { return rest }
        let first = rest.prefix { $0 != UInt8(ascii: "/") }
        guard first.endIndex < rest.endIndex else { return nil }
        return Self.ownSegments.contains { first.elementsEqual($0.utf8) } ? nil : rest
    }
}
