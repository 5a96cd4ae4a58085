// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// delta-seconds (RFC 9111 §1.2.2): digits alone; what is too large counts as 2^31 − 1.
enum DeltaSeconds {
    /// Nil for everything that is not a row of digits.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var scanner = FieldScanner(bytes)
        guard let seconds = scanner.decimal(), scanner.isAtEnd else { return nil }
        return Int32(clamping: seconds)
    }

    /// `Age`: a single value, of which a list counts by its first member; nil where that is none (RFC 9111
    /// §5.1).
    static func age(_ text: String) -> Int32? {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes.trimmed)
            guard let seconds = scanner.decimal(), scanner.isAtElementEnd() else { return nil }
            return Int32(clamping: seconds)
        }
    }
}
