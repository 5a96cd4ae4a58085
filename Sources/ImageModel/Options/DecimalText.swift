// SPDX-License-Identifier: Apache-2.0

/// Decimal fractions as options spell them: digits with at most one point, no sign, no exponent.
enum DecimalText {
    /// Steps of 0.0001, so that a product of two options has one spelling and not one per rounding error.
    static func quantised(_ number: Double) -> Double { (number * 10_000).rounded() / 10_000 }

    static func read(_ text: String) -> Double? {
        guard text.utf8.count <= 16, text.utf8.contains(where: \.isASCIIDigit),
            text.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            let number = Double(text.hasPrefix(".") ? "0\(text)" : text.hasSuffix(".") ? "\(text)0" : text)
        else { return nil }
        return quantised(number)
    }

    /// `number` is quantised and below a billion, so that no exponent is printed.
    static func write(_ number: Double) -> String {
        if let whole = Int(exactly: number) { return String(whole) }
        // Shortest digits that read back the same; the smallest step, 0.0001, is the smallest number without
        // exponent.
        return number.description
    }
}
