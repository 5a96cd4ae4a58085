// SPDX-License-Identifier: Apache-2.0

/// A mark in requests to origins that reveals a request that comes back to Pictor (`CDN-Loop`, RFC 8586): the fetch would wait for
/// the origin, and the origin for that very fetch.
package enum LoopMark {
    /// The field, which proxies on the way pass on.
    package static let field = "CDN-Loop"
    private static let prefix = "pictor-"

    /// The mark of a fetch of this URL. It is valid in this process only, because each process seeds Swift's hashes differently.
    package static func text(for url: SourceURL) -> String {
        var hasher = Hasher()
        // Added so that no origin learns the hash values that tables use.
        hasher.combine(field)
        hasher.combine(url)
        return prefix + String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// The marks in the field's value, to which other servers may have added theirs. Some may come from another process.
    package static func marks(in value: String) -> [String] {
        value.split(separator: ",").compactMap { member in
            let words = member.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" }
            guard words.count == 1, let mark = words.first, mark.hasPrefix(prefix) else { return nil }
            return String(mark)
        }
    }
}
