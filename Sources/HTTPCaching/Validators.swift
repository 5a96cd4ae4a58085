// SPDX-License-Identifier: Apache-2.0

/// The validators of a response (RFC 9110 §8.8), as the origin spelled them.
package struct Validators: Sendable, Hashable {
    /// The `ETag` field value, quotes and `W/` included.
    package var entityTag: String?
    /// The `Last-Modified` field value.
    package var lastModified: String?
    /// The code of the redirect target that the validators belong to (`StoredFields.Name.target`); nil if they belong to the URL
    /// itself.
    package var target: String?

    /// Each validator is nil if the response does not have it.
    package init(entityTag: String? = nil, lastModified: String? = nil, target: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.target = target
    }

    /// True if the response cannot be revalidated.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
