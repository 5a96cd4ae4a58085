// SPDX-License-Identifier: Apache-2.0

/// `Content-Range: bytes 5-9/10` (RFC 9110 §14.4), of a representation with a known length.
package struct ContentRange: Sendable, Hashable {
    /// Offset of the first byte.
    package let first: Int
    /// Offset of the last byte, included.
    package let last: Int
    /// Bytes of the whole representation.
    package let total: Int

    /// Bytes of the range.
    package var count: Int { last - first + 1 }

    /// Nil for any other text, and for a range outside of the whole.
    package init?(_ text: String) {
        let range: (Int, Int, Int)? = text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes.trimmed)
            guard let unit = scanner.token(), unit.isSame(as: "bytes"), scanner.take(.space),
                let first = scanner.decimal(), scanner.take(.dash), let last = scanner.decimal(),
                scanner.take(.slash), let total = scanner.decimal(), scanner.isAtEnd
            else { return nil }
            return (first, last, total)
        }
        guard let (first, last, total) = range, first <= last, last < total else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }
}
