// SPDX-License-Identifier: Apache-2.0

/// A setting that nobody may read back: never printed, and not taken from a flag, since `ps` shows flags to everyone.
package protocol SecretValue: SettingValue, CustomStringConvertible {
    static var none: Self { get }
    var isSet: Bool { get }
}

extension SecretValue {
    package var settingText: String { "" }
    package static var isSecret: Bool { true }
    package var description: String { isSet ? "set" : "not set" }
}

/// The bearer token.
package struct Secret: SecretValue {
    /// Empty: not set.
    package let text: String

    package var isSet: Bool { !text.isEmpty }

    /// The shortest that is not guessed.
    static let shortest = 16

    /// White space around it is dropped, because files end in a line feed.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.isEmpty || text.utf8.count >= Self.shortest && text.isSecretText else { return nil }
        self.text = text
    }

    package static let none = Secret(unchecked: "")

    private init(unchecked text: String) { self.text = text }

    package static var settingForm: String { "at least \(shortest) letters, digits or -._~+/=" }
}

/// The keys of signatures: the first signs, each of them verifies. A key is its text, byte by byte, so that `openssl
/// dgst -hmac` takes the same one; hexadecimal and base64 are texts like any other.
package struct Secrets: SecretValue {
    package let texts: [String]

    package var isSet: Bool { !texts.isEmpty }

    /// 128 bits in hexadecimal, and more in base64: what is signed is public, so keys are guessed at leisure.
    static let shortest = 32

    /// They are separated by commas or white space: a line each in a file.
    package init?(settingText: String) {
        texts = settingText.split { $0 == "," || $0.isWhitespace }.map(String.init)
        guard texts.allSatisfy({ $0.utf8.count >= Self.shortest && $0.isSecretText }) else { return nil }
    }

    package static let none = Secrets(unchecked: [])

    private init(unchecked texts: [String]) { self.texts = texts }

    package static var isList: Bool { true }
    package static var settingForm: String {
        "keys of at least \(shortest) letters, digits or -._~+/=, separated by commas or lines"
    }
}

extension String {
    /// RFC 6750 §2.1: what a bearer token is made of, and what no quoting in a file or a shell changes.
    fileprivate var isSecretText: Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~+/=".utf8.contains(byte)
            }
        }
    }
}
