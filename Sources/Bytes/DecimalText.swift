// SPDX-License-Identifier: Apache-2.0

/// Decimal fractions as options spell them: digits with at most one point, a minus sign before negative ones,
/// an exponent only where `readScientific` is asked.
package enum DecimalText {
    /// Rounds to steps of 0.0001, so that rounding errors in a product of two options do not lead to a second spelling of the
    /// same number.
    package static func quantised(_ number: Double) -> Double { (number * 10_000).rounded() / 10_000 }

    /// The quantised number that a text spells; nil if the text is no decimal fraction. Besides the sign, a text has at most 32
    /// characters, at most 16 of them before the point. A page's script writes a Double with up to 17 digits: `devicePixelRatio`
    /// is 1.100000023841858 in a window with a zoom of 110 %.
    package static func read(_ text: String) -> Double? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard digits.utf8.count <= 32, digits.utf8.prefix(while: \.isASCIIDigit).count <= 16,
            digits.utf8.contains(where: \.isASCIIDigit),
            digits.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            let number = Double(
                digits.hasPrefix(".") ? "0\(digits)" : digits.hasSuffix(".") ? "\(digits)0" : String(digits))
        else { return nil }
        // Adding 0 removes the sign of a negative zero, which would be a second spelling of zero.
        return quantised(isNegative && number != 0 ? -number : number) + 0
    }

    /// As `read`, but also with an exponent (`5.5e-17`), as scripts write numbers below a millionth; the number is below 10^16.
    package static func readScientific(_ text: String) -> Double? {
        guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return read(text) }
        guard read(String(text[..<mark])) != nil, let exponent = Int(text[mark...].dropFirst()),
            (-400...16).contains(exponent), let number = Double(text), number.magnitude < 1e16
        else { return nil }
        return quantised(number) + 0
    }

    /// The shortest spelling. `number` must be quantised and below a billion, so that no exponent is printed.
    package static func write(_ number: Double) -> String {
        if let whole = Int(exactly: number) { return String(whole) }
        // `description` gives the shortest digits that read back the same; it uses no exponent from 0.0001, the smallest step,
        // on.
        return number.description
    }
}
