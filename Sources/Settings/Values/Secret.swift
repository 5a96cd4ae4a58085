// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// A setting that cannot be read back: it is never printed, and no flag sets it, since `ps` shows flags to
/// everyone.
package protocol SecretValue: SettingValue, CustomStringConvertible {
    /// Not set.
    init()
}

extension SecretValue {
    package static var none: Self { Self() }
    package var isSet: Bool { self != .none }
    package var settingText: String { "" }
    package static var isSecret: Bool { true }
    package var description: String { isSet ? "set" : "not set" }
}

/// The admin listener's bearer token.
package struct Secret: SecretValue {
    /// Empty if not set.
    package let text: String

    /// Bytes of the shortest token that cannot be guessed.
    static let shortest = 16

    /// Drops white space around the token, because files end in a line feed. Nil for a short token, or one
    /// with other characters.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.isEmpty || text.utf8.count >= Self.shortest && text.isSecretText else { return nil }
        self.text = text
    }

    /// Not set.
    package init() { text = "" }

    package static var settingForm: String { "at least \(shortest) letters, digits or -._~+/=" }
}

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

/// The user and password of Pictor at a proxy (RFC 7617).
package struct ProxyCredentials: SecretValue {
    /// Empty if not set.
    package let user: String
    /// May be empty.
    package let password: String

    /// Nil without a colon, without a user, or with a control character.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.isEmpty || parts.count == 2 && !parts[0].isEmpty,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        user = String(parts[0])
        password = parts.count == 2 ? String(parts[1]) : ""
    }

    /// Not set.
    package init() { (user, password) = ("", "") }

    package static var settingForm: String { "user:password" }
}

/// A secret that another service has issued: a key, a token or a password.
package struct ServiceSecret: SecretValue {
    /// Empty if not set.
    package let text: String

    /// Drops white space around it. Nil with a character that could not stand in a field of HTTP.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
    }

    /// Not set.
    package init() { text = "" }

    package static var settingForm: String { "printable ASCII without spaces" }
}

/// A field that Pictor names itself by at a collector.
package struct FieldCredentials: SecretValue {
    /// `Name: value`; empty if not set.
    package let line: String

    /// Nil without a name that is a token and a value, or with a control character (RFC 9110 §5).
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard
            text.isEmpty
                || parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.allSatisfy(\.isTokenByte)
                    && parts[1].contains(where: { $0 != " " }),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        line = text
    }

    /// Not set.
    package init() { line = "" }

    package static var settingForm: String { "Name: value" }
}

extension String {
    /// The items of a list that have commas or white space between them, such as a line each in a file.
    var listItems: [String] { split { $0 == "," || $0.isWhitespace }.map(String.init) }

    /// True for characters of a bearer token (RFC 6750 §2.1), which need no quoting in a file or a shell.
    fileprivate var isSecretText: Bool {
        utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._~+/=".utf8.contains($0) }
    }
}
