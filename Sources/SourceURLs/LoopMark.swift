// SPDX-License-Identifier: Apache-2.0

/// The mark of requests to origins by which one that comes back is known (`CDN-Loop`, RFC 8586): its fetch would wait for the
/// origin, and the origin for that very fetch.
package enum LoopMark {
    /// The field, which proxies on the way pass on.
    package static let field = "CDN-Loop"
    private static let prefix = "pictor-"

    /// The mark of a fetch of this URL. It is of this process alone, because Swift's hashes have another seed in each.
    package static func text(for url: SourceURL) -> String {
        var hasher = Hasher()
        // So that no origin learns the hashes by which tables are laid out.
        hasher.combine(field)
        hasher.combine(url)
        return prefix + String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// The marks in the field's value, to which others on the way may have added theirs. Some may be of another process.
    package static func marks(in value: String) -> [String] {
        value.split(separator: ",").compactMap { member in
            let words = member.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, let mark = words.first, mark.hasPrefix(prefix) else { return nil }
            return String(mark)
        }
    }
}
