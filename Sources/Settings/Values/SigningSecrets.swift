// SPDX-License-Identifier: Apache-2.0

/// The keys of signed URLs: the first one signs, every one verifies. The bytes of the text are the key, as for `openssl dgst
/// -hmac`; hexadecimal and base64 are not decoded.
package struct Secrets: SecretValue {
    /// The keys in order; empty if not set.
    package let texts: [String]

    /// The fewest bytes of a key: 128 bits in hexadecimal, more in base64. Signed URLs are public, so an attacker can test
    /// guesses offline.
    static let shortest = 32

    /// Keys are separated by commas or white space, such as one per line of a file. Nil if a key is too short or has other
    /// characters.
    package init?(settingText: String) {
        texts = settingText.listItems
        guard texts.allSatisfy({ $0.utf8.count >= Self.shortest && $0.isSecretText }) else { return nil }
    }

    /// Not set.
    package init() { texts = [] }

    package static var isList: Bool { true }
    package static var settingForm: String {
        "keys of at least \(shortest) letters, digits or -._~+/=, separated by commas or lines"
    }
}

/// The keys of another service's URLs, chosen for that service: the first one signs, every one verifies. The bytes of the text
/// are the key.
package struct PlainKeys: SecretValue {
    /// The keys in order; empty if not set.
    package let texts: [String]

    /// The fewest characters of a key. Those services demand no length, but a shorter key can be guessed within minutes.
    static let shortest = 8

    /// Keys are separated by commas or white space, such as one per line of a file. Nil if a key is too short, or has characters
    /// other than printable ASCII.
    package init?(settingText: String) {
        texts = settingText.listItems
        let areKeys = texts.allSatisfy { text in
            text.utf8.count >= Self.shortest && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard areKeys else { return nil }
    }

    /// Not set.
    package init() { texts = [] }

    package static var isList: Bool { true }
    package static var settingForm: String {
        "keys of at least \(shortest) characters, separated by commas or lines"
    }
}
