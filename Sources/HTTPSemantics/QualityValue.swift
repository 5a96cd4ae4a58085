// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Quality values (RFC 9110 §12.4.2), as whole thousandths from 0 to 1000.
package enum QualityValue {
    /// Thousandths; nil if the text is no weight.
    package static func parse(_ text: String) -> Int? {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            guard let quality = scan(&scanner), scanner.isAtEnd else { return nil }
            return quality
        }
    }

    /// Reads a weight in thousandths. Beyond the grammar, `.5` is accepted and digits after the third are dropped, because real
    /// clients send both, and both are unambiguous. A number above 1 is no weight.
    static func scan(_ scanner: inout FieldScanner) -> Int? {
        let whole = scanner.take(while: \.isASCIIDigit)
        guard whole.count <= 1, scanner.peek == .dot || !whole.isEmpty else { return nil }
        var value = whole.isEmpty ? 0 : Int(whole[0] - 0x30) * 1000
        if scanner.take(.dot) {
            let fraction = scanner.take(while: \.isASCIIDigit)
            guard !whole.isEmpty || !fraction.isEmpty else { return nil }
            for (digit, weight) in zip(fraction, [100, 10, 1]) { value += Int(digit - 0x30) * weight }
        }
        return value <= 1000 ? value : nil
    }
}
