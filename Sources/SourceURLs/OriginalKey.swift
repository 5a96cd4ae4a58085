// SPDX-License-Identifier: Apache-2.0

/// The cache key of an original: its normalised source URL.
package struct OriginalKey: Sendable, Hashable {
    /// `SourceURL.absolute`.
    package let url: String
    /// `url` must be normalised, as `SourceURL.absolute` is.
    package init(url: String) { self.url = url }
}
