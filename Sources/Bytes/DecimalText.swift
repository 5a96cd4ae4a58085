// SPDX-License-Identifier: Apache-2.0

/// Decimal fractions as options spell them: digits with at most one point, a minus sign before negative ones,
/// no exponent.
package enum DecimalText {
    /// Rounds to steps of 0.0001, so that rounding errors give a product of two options no spelling of its
    /// own.
    package static func quantised(_ number: Double) -> Double { (number * 10_000).rounded() / 10_000 }

    /// The quantised number of a text of at most 32 characters, 16 of them before the point, besides the sign; nil if the text
    /// is no decimal fraction. A page's script writes a Double with up to 17 digits: `devicePixelRatio` is 1.100000023841858
    /// in a window that is enlarged by a tenth.
    package static func read(_ text: String) -> Double? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard digits.utf8.count <= 32, digits.utf8.prefix(while: \.isASCIIDigit).count <= 16,
            digits.utf8.contains(where: \.isASCIIDigit),
            digits.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            let number = Double(
                digits.hasPrefix(".") ? "0\(digits)" : digits.hasSuffix(".") ? "\(digits)0" : String(digits))
        else { return nil }
        // No zero has a sign: it would be a spelling of its own.
        return quantised(isNegative && number != 0 ? -number : number) + 0
    }

    /// The shortest spelling. `number` must be quantised and below a billion, so that no exponent is printed.
    package static func write(_ number: Double) -> String {
        if let whole = Int(exactly: number) { return String(whole) }
        // Shortest digits that read back the same; the smallest step, 0.0001, is the smallest number without
        // exponent.
        return number.description
    }
}
