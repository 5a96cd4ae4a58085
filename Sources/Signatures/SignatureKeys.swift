// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import Settings

/// The keys that make and verify signatures: HMAC-SHA256 in base64url (RFC 4648 §5), without padding.
///
/// **Isolation:** immutable.
package struct SignatureKeys: Sendable {
    /// The keys, at least one; the first one signs.
    private let keys: [[UInt8]]

    /// Nil if no key is set.
    package init?(_ secrets: Secrets) {
        guard secrets.isSet else { return nil }
        keys = secrets.texts.map { Array($0.utf8) }
    }

    /// The signature made with the first key.
    // Cannot trap: a value of this type has at least one key.
    package func signature(of material: [UInt8]) -> String { Self.signature(of: material, by: keys[0]) }

    /// True if the signature was made with one of the keys. One `=` of padding is allowed; any other spelling of the same bytes is
    /// wrong. Every key is tried, so that the time taken does not tell which one matched.
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
