// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// How long the shared store takes to answer for an original, in microseconds.
package struct LookTimes: Sendable, Hashable {
    /// After this time an answer counts as late, judged by recent answers.
    package var late: Int64
    /// The longest time to wait for the store.
    package var deadline: Int64

    /// Both times in microseconds.
    package init(late: Int64, deadline: Int64) {
        self.late = late
        self.deadline = deadline
    }
}

/// An original as the shared store knows it: without its bytes, and without its header, which each node reads anew.
package struct SharedOriginal: Sendable, Hashable {
    /// The normalised URL and the variant.
    package var key: OriginalKey
    /// The digest of its bytes.
    package var digest: OriginalDigest
    /// Bytes.
    package var length: Int
    /// `Last-Modified`; nil if the origin gave no readable one.
    package var lastModified: Timestamp?
    /// The freshness that the node found which asked the origin last.
    package var freshness: Freshness
    /// The origin's fields, with the validators.
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
    /// The bytes; nil if they must be asked for separately.
    package var body: Body?

    /// By default the bytes must be asked for separately.
    package init(entry: SharedOriginal, body: Body? = nil) {
        self.entry = entry
        self.body = body
    }
}
