// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs

extension OptionTable {
    static let delivery: [RequestOption] = [
        RequestOption(
            "default", delivers: \.fallback, as: ValueGrammar.fallback().optional(), defaultValue: "none",
            meaning:
                "where a client is redirected to (302) if its picture cannot be had; `1` is the source itself"
        ),
        RequestOption(
            "filename", delivers: \.filename, as: ValueGrammar.filename.optional(), defaultValue: "none",
            meaning: "the name under which a browser saves the picture, without its extension"),
        RequestOption(
            "attachment", delivers: \.isAttachment, as: .flag, defaultValue: "0",
            meaning: "lets a browser save the picture instead of showing it"),
        RequestOption(
            "v", delivers: \.version, as: ValueGrammar.version.optional(), defaultValue: "none",
            meaning:
                "any text, which does not change the picture: a new one makes a new URL, so that caches ask anew"
        ),
        RequestOption(
            "encoding", delivers: \.encoding, as: .choice([("base64", .base64)]), defaultValue: "none",
            meaning: "answers with a `data:` URL as text, for a picture of up to 16 MiB"),
        RequestOption(
            "maxage", delivers: \.maxAge, as: ValueGrammar.lifetime.optional(),
            defaultValue: "the original's",
            meaning: "how long clients may keep the answer, within the bounds of the settings"),
        RequestOption(
            "priority", delivers: \.priority, as: .choice(Delivery.Class.allCases.map { ($0.rawValue, $0) }),
            defaultValue: "high", meaning: "`low` waits behind all requests with `high`"),
        RequestOption(
            "preset", values: "a name from the settings",
            meaning: "options that the settings define under this name; options in the URL take precedence",
            role: .preset),
    ]
}

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
