// SPDX-License-Identifier: Apache-2.0

/// The keys of signed URLs: the first signs, each of them verifies. A key is its text, byte by byte, as for
/// `openssl dgst -hmac`; hexadecimal and base64 are not decoded.
package struct Secrets: SecretValue {
    /// The keys in order; empty if not set.
    package let texts: [String]

    /// Bytes: 128 bits in hexadecimal, more in base64. Signed URLs are public, so keys can be guessed
    /// offline.
    static let shortest = 32

    /// Keys are separated by commas or white space, such as a line each in a file. Nil if one is short or has
    /// other characters.
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

/// The keys of another service's URLs, which that service has chosen: the first signs, each of them verifies. A key is its
/// text, byte by byte.
package struct PlainKeys: SecretValue {
    /// The keys in order; empty if not set.
    package let texts: [String]

    /// Characters. Those services want no length; a shorter key is guessed within minutes.
    static let shortest = 8

    /// Keys are separated by commas or white space, such as a line each in a file. Nil if one is short, or has other
    /// than printable characters of ASCII.
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
