// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A secret value: it is never printed, and no flag sets it, because `ps` shows flags to everyone.
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
    /// The token; empty if not set.
    package let text: String

    /// The fewest bytes of a token that cannot be guessed.
    static let shortest = 16

    /// Drops white space around the token, because files end in a line feed. Nil if the token is too short or has other
    /// characters.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.isEmpty || text.utf8.count >= Self.shortest && text.isSecretText else { return nil }
        self.text = text
    }

    /// Not set.
    package init() { text = "" }

    package static var settingForm: String { "at least \(shortest) letters, digits or -._~+/=" }
}

extension String {
    /// The items of a list that are separated by commas or white space, such as one per line of a file.
    var listItems: [String] { split { $0 == "," || $0.isWhitespace }.map(String.init) }

    /// True if all characters may be in a bearer token (RFC 6750 §2.1), which need no quoting in a file or a shell.
    var isSecretText: Bool {
        utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._~+/=".utf8.contains($0) }
    }
}
