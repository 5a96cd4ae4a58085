// SPDX-License-Identifier: Apache-2.0

/// The mark of requests to origins by which one that comes back is known (`CDN-Loop`, RFC 8586): its fetch would wait for the
/// origin, and the origin for that very fetch.
package enum LoopMark {
    /// The field, which proxies on the way pass on.
    package static let field = "CDN-Loop"

    /// The mark of a fetch of this URL. It is of this process alone, because Swift's hashes have another seed in each.
    package static func text(for url: SourceURL) -> String {
        var hasher = Hasher()
        // So that no origin learns the hashes by which tables are laid out.
        hasher.combine(field)
        hasher.combine(url)
        return "pictor-" + String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// True if the field's value, to which others on the way may have added theirs, has the mark of this URL.
    package static func isMark(of url: SourceURL, in value: String) -> Bool {
        let mark = text(for: url)
        return value.split(separator: ",").contains { member in
            member.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" } == [mark[...]]
        }
    }
}
