// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import Settings

/// The keys that make and verify signatures: base64url (RFC 4648 §5) of HMAC-SHA256, without padding.
///
/// **Isolation:** immutable.
package struct SignatureKeys: Sendable {
    /// At least one; the first signs.
    private let keys: [[UInt8]]

    /// Nil where there is none.
    package init?(_ secrets: Secrets) {
        guard secrets.isSet else { return nil }
        keys = secrets.texts.map { Array($0.utf8) }
    }

    /// The signature by the first key.
    // Cannot trap: there are keys, or there is no value of this type.
    package func signature(of material: [UInt8]) -> String { Self.signature(of: material, by: keys[0]) }

    /// Whether one of the keys made it. One `=` of padding may be there; another spelling of the same bytes is another
    /// signature. Every key is tried, so that the time it takes does not tell which one it was.
    package func verify(_ signature: [UInt8], of material: [UInt8]) -> Bool {
        let given = signature.last == UInt8(ascii: "=") ? signature.dropLast() : signature[...]
        var isRight = false
        for key in keys {
            let own = Array(Self.signature(of: material, by: key).utf8)
            let isSame = given.withUnsafeBytes { given in own.withUnsafeBytes { given.isSameSecret(as: $0) } }
            isRight = isSame || isRight
        }
        return isRight
    }

    private static func signature(of material: [UInt8], by key: [UInt8]) -> String {
        Base64URL.encode(MessageCode.of(material, key: key).bytes)
    }
}
