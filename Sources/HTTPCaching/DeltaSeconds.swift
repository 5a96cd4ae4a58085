// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// delta-seconds (RFC 9111 §1.2.2): digits only; larger numbers count as 2^31 − 1.
enum DeltaSeconds {
    /// Seconds; nil for anything but digits.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var scanner = FieldScanner(bytes)
        guard let seconds = scanner.decimal(), scanner.isAtEnd else { return nil }
        return Int32(clamping: seconds)
    }

    /// The seconds of `Age`, which is a single value; of a list the first member counts. Nil if it is no number (RFC 9111 §5.1).
    static func age(_ text: String) -> Int32? {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes.trimmed)
            guard let seconds = scanner.decimal(), scanner.isAtElementEnd() else { return nil }
            return Int32(clamping: seconds)
        }
    }
}
