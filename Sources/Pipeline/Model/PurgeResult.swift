// SPDX-License-Identifier: Apache-2.0

package import Recipes
package import SourceURLs

/// The numbers of a purge: things removed, or made stale.
package struct PurgeResult: Sendable, Hashable {
    /// Originals, counted by URL.
    package var originals = 0
    /// Renditions on disk.
    package var renditions = 0
    /// Ready answers in memory.
    package var answers = 0
    /// Remembered failures.
    package var failures = 0
    /// Fetches under way that can no longer be joined, and whose result is not kept.
    package var fetches = 0

    /// Nothing purged.
    package init() {}
}

/// The originals that a cache removed, or made stale, for a purge.
package struct PurgedOriginals: Sendable, Hashable {
    /// Originals, counted by URL.
    package var count = 0
    /// Keys of the originals with the tag, and of the variants of a URL; empty for other selections. Only tags need the keys in
    /// `include`, because all other selections match keys by themselves.
    package var keys: Set<OriginalKey> = []
    /// Keys of the originals of a host or with a prefix; empty for other selections.
    package var matched: Set<OriginalKey> = []
    /// Digests of bytes to which no original refers any more.
    package var orphans: Set<OriginalDigest> = []
    /// Why variants of the URL may be left, or why a restart may bring something back. The caller throws it after everything that is
    /// known to be purged is gone everywhere.
    package var failure: IndexUnreadable?

    /// Nothing purged.
    package init() {}

    /// True for an original that the order selects: by its URL, by its tags, or by what the cache knew of it.
    package func include(_ key: OriginalKey, tags: [String] = [], of order: PurgeOrder) -> Bool {
        order.selection.matches(key, tags: tags) || keys.contains(key)
    }
}

/// The cache cannot tell what it holds, so a purge cannot promise that a picture is gone.
package struct IndexUnreadable: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for operators.
    package let description: String
    /// True if everything is gone from the caches, and only a restart may bring it back, because the disk does not accept the
    /// removal.
    package let isCarriedOut: Bool

    /// - Parameter description: a sentence for operators.
    package init(_ description: String, isCarriedOut: Bool = false) {
        self.description = description
        self.isCarriedOut = isCarriedOut
    }
}
