// SPDX-License-Identifier: Apache-2.0

/// What lets a cache ask "has it changed?" (RFC 9110 §8.8), spelled as the origin spelled it.
package struct Validators: Sendable, Hashable {
    /// The `ETag` field value, quotes and `W/` included.
    package var entityTag: String?
    /// The `Last-Modified` field value.
    package var lastModified: String?

    package init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
