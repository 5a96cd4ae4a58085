// SPDX-License-Identifier: Apache-2.0

/// How the values of an option are written, read and told to people.
struct ValueGrammar<Value: Sendable>: Sendable {
    /// For the reference and for errors: what is allowed.
    let words: String
    /// Nil: not a value of this option. The text is nil where the parameter has no `=`.
    let read: @Sendable (_ text: String?) -> Value?
    /// The one canonical spelling.
    let write: @Sendable (Value) -> String
}

extension ValueGrammar where Value == Int {
    /// Decimal digits; `extra` are allowed beside the range.
    static func integer(_ range: ClosedRange<Int>, or extra: Int? = nil) -> Self {
        let span = "\(range.lowerBound)…\(range.upperBound)"
        return ValueGrammar(words: extra.map { "\($0) or \(span)" } ?? span) { text in
            guard let text else { return nil }
            if let extra, text == String(extra) { return extra }
            guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text), range.contains(number) else {
                return nil
            }
            return number
        } write: {
            String($0)
        }
    }
}

extension ValueGrammar where Value == Double {
    static func decimal(_ range: ClosedRange<Double>) -> Self {
        let words = "\(DecimalText.write(range.lowerBound))…\(DecimalText.write(range.upperBound))"
        return ValueGrammar(words: words) { text in
            guard let number = text.flatMap(DecimalText.read), range.contains(number) else { return nil }
            return number
        } write: {
            DecimalText.write($0)
        }
    }
}

extension ValueGrammar where Value == Bool {
    /// Present is true; `0` and `false` are false.
    static var flag: Self {
        ValueGrammar(words: "flag: present, `1` or `true`; off with `0` or `false`") { text in
            switch text {
            case nil, "", "1", "true": true
            case "0", "false": false
            default: nil
            }
        } write: {
            $0 ? "1" : "0"
        }
    }
}

extension ValueGrammar where Value == Recipe.Length {
    static var length: Self {
        let pixels = ValueGrammar<Int>.integer(Recipe.Length.pixelRange)
        let percent = ValueGrammar<Double>.decimal(Recipe.Length.percentRange)
        return ValueGrammar(words: "\(pixels.words) pixels, or \(percent.words) with % (in a URL: %25)") {
            text in
            guard let text, text.hasSuffix("%") else { return pixels.read(text).map { .pixels($0) } }
            return percent.read(String(text.dropLast())).map { .percent($0) }
        } write: {
            switch $0 {
            case .pixels(let number): pixels.write(number)
            case .percent(let number): percent.write(number) + "%"
            }
        }
    }
}

extension ValueGrammar where Value: Equatable {
    /// One of a list of names. `synonyms` are accepted and not advertised.
    static func choice(_ names: [(String, Value)], synonyms: [String: Value] = [:]) -> Self {
        let words = names.map { "`\($0.0)`" }.joined(separator: " ")
        return ValueGrammar(words: words) { text in
            guard let text else { return nil }
            return names.first { $0.0 == text }?.1 ?? synonyms[text]
        } write: { value in
            names.first { $0.1 == value }?.0 ?? ""
        }
    }
}

extension ValueGrammar {
    /// The same grammar for a field whose nil is its default and so never written.
    func optional() -> ValueGrammar<Value?> {
        ValueGrammar<Value?>(words: words) {
            read($0).map(Optional.some)
        } write: {
            $0.map(write) ?? ""
        }
    }
}
