// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// How the values of an option are read, written and described.
struct ValueGrammar<Value: Sendable>: Sendable {
    /// The allowed values, for the reference and for errors.
    let words: String
    /// The form of the values, for programs.
    let shape: ValueShape
    /// Reads a value; nil if the text is no value of this option. The text is nil if the parameter has no `=`.
    let read: @Sendable (_ text: String?) -> Value?
    /// Writes a value in its one canonical spelling.
    let write: @Sendable (Value) -> String

    init(
        words: String, shape: ValueShape = .text, read: @escaping @Sendable (_ text: String?) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) {
        self.words = words
        self.shape = shape
        self.read = read
        self.write = write
    }
}

extension ValueGrammar where Value == Int {
    /// Decimal digits, with a minus sign if the range has negative numbers. `extra` is allowed in addition to the range, `bare` is
    /// the value of a parameter without one, and `unit` is for people only.
    static func integer(
        _ range: ClosedRange<Int>, in unit: String? = nil, or extra: Int? = nil, bare: Int? = nil
    ) -> Self {
        let span = "\(range.lowerBound)…\(range.upperBound)" + (unit.map { " \($0)" } ?? "")
        let words = (extra.map { "\($0) or \(span)" } ?? span) + (bare.map { " (bare: \($0))" } ?? "")
        return ValueGrammar(words: words, shape: .integer(range, extra: extra)) { text in
            guard let text, !text.isEmpty else { return bare }
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text),
                range.contains(number) || number == extra
            else { return nil }
            return number
        } write: {
            String($0)
        }
    }
}

extension ValueGrammar where Value == Double {
    /// Digits with at most one point, with a minus sign if the range has negative numbers; `unit` is for people only.
    static func decimal(_ range: ClosedRange<Double>, in unit: String? = nil, bare: Double? = nil) -> Self {
        let span = "\(DecimalText.write(range.lowerBound))…\(DecimalText.write(range.upperBound))"
        let words =
            span + (unit.map { " \($0)" } ?? "") + (bare.map { " (bare: \(DecimalText.write($0)))" } ?? "")
        return ValueGrammar(words: words, shape: .decimal(range)) { text in
            guard let text, !text.isEmpty else { return bare }
            guard let number = DecimalText.read(text), range.contains(number) else { return nil }
            return number
        } write: {
            DecimalText.write($0)
        }
    }
}

extension ValueGrammar where Value == String {
    /// A text that is written as it is read.
    static func text(_ words: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Self {
        ValueGrammar(words: words) {
            $0.flatMap { isAllowed($0) ? $0 : nil }
        } write: {
            $0
        }
    }
}

extension ValueGrammar where Value == Bool {
    /// A flag: present is true; `0` and `false` are false.
    static var flag: Self {
        ValueGrammar(words: "flag: present, `1` or `true`; off with `0` or `false`", shape: .flag) { text in
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

extension ValueGrammar where Value: Equatable {
    /// One of a list of names. `synonyms` are accepted but not shown.
    static func choice(_ names: [(String, Value)], synonyms: [String: Value] = [:]) -> Self {
        let words = names.map { "`\($0.0)`" }.joined(separator: " ")
        return ValueGrammar(words: words, shape: .choice(names.map(\.0))) { text in
            guard let text else { return nil }
            return names.first { $0.0 == text }?.1 ?? synonyms[text]
        } write: { value in
            names.first { $0.1 == value }?.0 ?? ""
        }
    }
}

extension ValueGrammar {
    /// The same grammar, with more words for values that are read elsewhere.
    func telling(_ more: String) -> ValueGrammar {
        ValueGrammar(words: "\(words); \(more)", shape: shape, read: read, write: write)
    }

    /// The same grammar for a field whose default is nil, which is never written.
    func optional() -> ValueGrammar<Value?> {
        ValueGrammar<Value?>(words: words, shape: shape) {
            read($0).map(Optional.some)
        } write: {
            $0.map(write) ?? ""
        }
    }

    /// Values with commas between them, up to `count`; nil if one of them is invalid.
    static func list(of text: String?, upTo count: Int, read: (String) -> Value?) -> [Value]? {
        guard let text else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= count else { return nil }
        let values = parts.compactMap { read(String($0)) }
        return values.count == parts.count ? values : nil
    }
}
