// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// How long the shared store takes to tell what it knows of an original; in microseconds.
package struct LookTimes: Sendable, Hashable {
    /// An answer is late after this, by the answers of late.
    package var late: Int64
    /// The store is waited for no longer than this.
    package var deadline: Int64

    /// Both times in microseconds.
    package init(late: Int64, deadline: Int64) {
        self.late = late
        self.deadline = deadline
    }
}

/// An original as the shared store knows it: without its bytes, and without its header, which is read anew on each
/// node.
package struct SharedOriginal: Sendable, Hashable {
    /// The normalised URL and the variant.
    package var key: OriginalKey
    /// The digest of its bytes.
    package var digest: OriginalDigest
    /// Bytes.
    package var length: Int
    /// `Last-Modified`; nil if the origin gave no readable one.
    package var lastModified: Timestamp?
    /// As the node found it that asked the origin last.
    package var freshness: Freshness
    /// The origin's, with the validators.
    package var fields: StoredFields

    /// `length` in bytes.
    package init(
        key: OriginalKey, digest: OriginalDigest, length: Int, lastModified: Timestamp?, freshness: Freshness,
        fields: StoredFields
    ) {
        self.key = key
        self.digest = digest
        self.length = length
        self.lastModified = lastModified
        self.freshness = freshness
        self.fields = fields
    }
}

/// The shared store's answer about a URL.
package struct SharedAnswer<Body: Sendable>: Sendable {
    /// The original's entry.
    package var entry: SharedOriginal
    /// The bytes; nil if they are to be asked for.
    package var body: Body?

    /// The bytes are to be asked for by default.
    package init(entry: SharedOriginal, body: Body? = nil) {
        self.entry = entry
        self.body = body
    }
}
