// SPDX-License-Identifier: Apache-2.0

internal import Hashing
internal import HTTPSemantics
internal import Kernel
package import Settings

/// The bearer token (RFC 6750) that authorises orders.
///
/// **Isolation:** immutable.
package struct AdminToken: Sendable {
    private let bytes: ImmutableBytes

    /// Nil if the secret is not set.
    package init?(_ secret: Secret) {
        guard secret.isSet else { return nil }
        bytes = ImmutableBytes(secret.text.utf8)
    }

    /// True if this value of `Authorization` carries the token. Allocates nothing, for event loops.
    func isCarried(by authorization: UnsafeRawBufferPointer) -> Bool {
        let value = authorization.trimmed
        guard value.count > Self.scheme.utf8CodeUnitCount,
            UnsafeRawBufferPointer(rebasing: value[..<Self.scheme.utf8CodeUnitCount]).isSame(as: Self.scheme)
        else { return false }
        let given = UnsafeRawBufferPointer(rebasing: value[Self.scheme.utf8CodeUnitCount...]).trimmed
        return given.isSameSecret(as: bytes.buffer)
    }

    /// True if exactly one `Authorization` field carries the token; several fields are ambiguous.
    func isCarried(by fields: Fields) -> Bool {
        let values = fields.values("Authorization")
        guard values.count == 1 else { return false }
        return isCarried(in: values[0])
    }

    /// True if this value of `Authorization` carries the token.
    func isCarried(in value: String) -> Bool { value.withFieldBytes { isCarried(by: $0) } }

    private static let scheme: StaticString = "Bearer "
}
