// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Foundation

/// Base64 as it stands in a URL (RFC 4648 §5).
enum Base64URL {
    /// Without padding.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// With or without padding; nil for other characters, and for a length that nothing has.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
        let areDigits = digits.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F }
        guard areDigits, digits.count % 4 != 1 else { return nil }
        let standard = digits.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        // Cannot trap: 0…3.
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(standard + padding)).map { Array($0) }
    }
}
