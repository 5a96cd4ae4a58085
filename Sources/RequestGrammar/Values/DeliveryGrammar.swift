// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import SourceURLs

extension ValueGrammar where Value == Delivery.Fallback {
    /// - Parameter parse: reads a URL; nil if the text is no URL.
    static func fallback(
        _ parse: @escaping @Sendable (String) -> SourceURL? = { try? SourceURL.parse($0) }
    ) -> Self {
        ValueGrammar(words: "`1`, or an http or https URL, percent-encoded") { text in
            guard let text, text != "1" else { return text.map { _ in .source } }
            // Browsers cannot be redirected to other schemes.
            return parse(text).flatMap { $0.scheme.isWeb ? .url($0) : nil }
        } write: {
            switch $0 {
            case .source: "1"
            case .url(let url): url.absolute
            }
        }
    }
}

extension ValueGrammar where Value == String {
    static var version: Self { text("a text of 1–128 bytes") { (1...128).contains($0.utf8.count) } }

    static var filename: Self {
        text("1–78 of A–Z a–z 0–9 . _ -") {
            (1...78).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isNameByte)
        }
    }
}

extension ValueGrammar where Value == Int {
    /// A duration in seconds, with the units of nginx.
    static var lifetime: Self {
        let units: [Character: Int] = [
            "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "M": 2_592_000, "y": 31_536_000,
        ]
        return ValueGrammar(
            words: "seconds, or a number and `s` `m` `h` `d` `w` `M` (30 days) or `y`; at most `10y`"
        ) {
            text in
            guard let text, let last = text.last else { return nil }
            let digits = units[last] == nil ? text[...] : text.dropLast()
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), digits.utf8.count <= 9,
                let number = Int(digits)
            else { return nil }
            let seconds = number * (units[last] ?? 1)
            return seconds <= 315_360_000 ? seconds : nil
        } write: {
            String($0)
        }
    }
}

extension Delivery {
    /// Reads a lifetime as in `maxage`, in seconds; nil if the text is no lifetime.
    package static func lifetime(_ text: String) -> Int? { ValueGrammar<Int>.lifetime.read(text) }

    /// Where to redirect a request that was refused. Reads only the fallback, because the rest of the query may be malformed.
    /// - Parameter parse: reads a URL as the dialect does; nil if the text is no URL.
    package static func fallback(
        in query: [UInt8], names: [String] = ["default"],
        parse: @escaping @Sendable (String) -> SourceURL? = { try? SourceURL.parse($0) }
    ) -> Fallback? {
        guard QueryParameters.mayHold(names, in: query) else { return nil }
        let parameters = QueryParameters(lenient: query[...], urls: Set(names)).parameters
        let wanted = names.lazy.compactMap { name in
            parameters.first { $0.name == name && $0.value != nil }
        }.first
        return wanted.flatMap { ValueGrammar.fallback(parse).read($0.value) }
    }
}
