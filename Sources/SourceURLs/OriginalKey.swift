// SPDX-License-Identifier: Apache-2.0

/// The cache key of an original: its normalised source URL, and what of its client's request the origin was told.
package struct OriginalKey: Sendable, Hashable {
    /// `SourceURL.absolute`.
    package let url: String
    /// The digest of the fields of a client that went to the origin, as 64 hexadecimal digits; empty where none did.
    package let variant: String

    /// `url` must be normalised, as `SourceURL.absolute` is.
    package init(url: String, variant: String = "") {
        self.url = url
        self.variant = variant
    }
}

// MARK: As text

extension OriginalKey {
    /// The URL, and behind a `#` its variant, where there is one. A normalised URL has no fragment.
    package var text: String { variant.isEmpty ? url : "\(url)#\(variant)" }

    /// The key that `text` spells.
    package init(text: String) {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else {
            self.init(url: text)
            return
        }
        self.init(url: String(text[..<mark]), variant: String(text[text.utf8.index(after: mark)...]))
    }

    /// The beginning of the texts of all variants of this URL but the empty one, and of no other text.
    package var variantPrefix: String { "\(url)#" }
}
