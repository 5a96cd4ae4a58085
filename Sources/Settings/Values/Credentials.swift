// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The user and password with which Pictor authenticates itself to a proxy (RFC 7617).
package struct ProxyCredentials: SecretValue {
    /// The user; empty if not set.
    package let user: String
    /// The password; may be empty.
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

/// A secret issued by another service: a key, a token or a password.
package struct ServiceSecret: SecretValue {
    /// The secret; empty if not set.
    package let text: String

    /// Drops white space around the text. Nil if a character could not be in an HTTP field.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
    }

    /// Not set.
    package init() { text = "" }

    package static var settingForm: String { "printable ASCII without spaces" }
}

/// A field with which Pictor authenticates itself to a collector.
package struct FieldCredentials: SecretValue {
    /// `Name: value`; empty if not set.
    package let line: String

    /// Nil if the name is not a token, the value is missing, or there is a control character (RFC 9110 §5).
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
