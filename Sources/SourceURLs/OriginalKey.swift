// SPDX-License-Identifier: Apache-2.0

/// The cache key of an original: its normalised source URL, and the fields of the client's request that the origin got.
package struct OriginalKey: Sendable, Hashable {
    /// The URL as in `SourceURL.absolute`.
    package let url: String
    /// The digest of the client's fields that the origin got, as 64 hexadecimal digits; empty if it got none.
    package let variant: String

    /// `url` must be normalised, as `SourceURL.absolute` is.
    package init(url: String, variant: String = "") {
        self.url = url
        self.variant = variant
    }
}

// MARK: As text

extension OriginalKey {
    /// The URL, followed by `#` and the variant if there is one. A normalised URL has no fragment.
    package var text: String { variant.isEmpty ? url : "\(url)#\(variant)" }

    /// The key that `text` spells.
    package init(text: String) {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else {
            self.init(url: text)
            return
        }
        self.init(url: String(text[..<mark]), variant: String(text[text.utf8.index(after: mark)...]))
    }

    /// The prefix that the texts of all variants of this URL except the empty one have, and no other text.
    package var variantPrefix: String { "\(url)#" }
}
