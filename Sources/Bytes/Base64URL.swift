// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Base64 with the alphabet that needs no escapes in a URL (RFC 4648 §5).
package enum Base64URL {
    /// Encodes without padding.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Decodes text with or without padding. Nil if the text holds another character, or has a length that no bytes encode to.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var digits = Array(text)
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") && digits.count % 4 != 1 {
            _ = digits.popLast()
        }
        let areDigits = digits.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F }
        guard areDigits, digits.count % 4 != 1 else { return nil }
        let standard = digits.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        let padding = "===".utf8.prefix((4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(standard + padding)).map { Array($0) }
    }

    /// As above, for text.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }
}
