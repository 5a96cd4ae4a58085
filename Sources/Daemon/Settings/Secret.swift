// SPDX-License-Identifier: Apache-2.0

/// A setting that nobody may read back: never printed, and not taken from a flag, since `ps` shows flags to everyone.
package struct Secret: SettingValue, CustomStringConvertible {
    /// Empty: not set.
    let text: String

    package var isSet: Bool { !text.isEmpty }

    /// The shortest that is not guessed.
    static let shortest = 16

    /// White space around it is dropped, because files end in a line feed.
    package init?(settingText: String) {
        let text = settingText.trimming(while: \.isWhitespace)
        guard text.isEmpty || text.utf8.count >= Self.shortest && text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = text
    }

    static let none = Secret(unchecked: "")

    private init(unchecked text: String) { self.text = text }

    /// RFC 6750 §2.1: what a bearer token is made of.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    package var settingText: String { "" }
    package static var settingForm: String { "at least \(shortest) letters, digits or -._~+/=" }
    package static var isSecret: Bool { true }
    package var description: String { isSet ? "set" : "not set" }
}
