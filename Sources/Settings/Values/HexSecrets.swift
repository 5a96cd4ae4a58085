// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Keys and salts of imgproxy's signatures, in hexadecimal. The first pair signs; every pair verifies.
package struct HexPairs: SecretValue {
    /// A key and a salt, as bytes.
    package struct Pair: Sendable, Equatable {
        /// The key of the HMAC.
        package let key: [UInt8]
        /// The salt, which precedes the signed text.
        package let salt: [UInt8]
    }

    /// The pairs in order; empty if not set.
    package let pairs: [Pair]

    /// `key:salt`, several pairs are separated by commas or white space, for example one per line of a file. Nil if a half is
    /// missing or has other characters.
    package init?(settingText: String) {
        var pairs: [Pair] = []
        for text in settingText.listItems {
            let halves = text.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let key = Hexadecimal.bytes(halves[0]), !key.isEmpty,
                let salt = Hexadecimal.bytes(halves[1]), !salt.isEmpty
            else { return nil }
            pairs.append(Pair(key: key, salt: salt))
        }
        self.pairs = pairs
    }

    /// Not set.
    package init() { pairs = [] }

    package static var isList: Bool { true }
    package static var settingForm: String {
        "pairs key:salt, both in hexadecimal digits, separated by commas or lines"
    }
}

/// An AES key in hexadecimal.
package struct HexKey: SecretValue {
    /// The key's 16, 24 or 32 bytes; empty if not set.
    package let bytes: [UInt8]

    /// Drops white space around the digits. Nil for another length, or other characters.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard let bytes = Hexadecimal.bytes(text), [0, 16, 24, 32].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Not set.
    package init() { bytes = [] }

    package static var settingForm: String { "32, 48 or 64 hexadecimal digits" }
}

/// Words that are accepted in place of a signature. They are not keys, so they may be short.
package struct SecretWords: SecretValue {
    /// The words in order; empty if not set.
    package let texts: [String]

    /// Words are separated by commas or white space. Nil if a word cannot be a segment of a path.
    package init?(settingText: String) {
        texts = settingText.listItems
        guard texts.allSatisfy({ !$0.contains("/") && !$0.contains("?") }) else { return nil }
    }

    /// Not set.
    package init() { texts = [] }

    package static var isList: Bool { true }
    package static var settingForm: String { "words without / and ?, separated by commas or lines" }
}

/// Hexadecimal digits, two for each byte.
enum Hexadecimal {
    /// Nil for an odd number of digits and for other characters.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
