// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import CCrypto

/// SHA-256 over bytes as they arrive, by OpenSSL's libcrypto (EVP_DigestInit_ex(3)).
package struct SHA256: ~Copyable {
    /// Fetched once, because EVP_sha256() makes OpenSSL look the algorithm up in each hash. `nonisolated(unsafe)` because the
    /// compiler cannot see that libcrypto's algorithms never change.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    private let context: OpaquePointer

    /// Starts an empty hash.
    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
            // Cannot trap: these calls fail only without memory, where malloc's other callers abort too.
            preconditionFailure("libcrypto: out of memory")
        }
        self.context = context
    }

    private init(after context: OpaquePointer) {
        guard let copy = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(copy, context) == 1 else {
            // Cannot trap: these calls fail only without memory, where malloc's other callers abort too.
            preconditionFailure("libcrypto: out of memory")
        }
        self.context = copy
    }

    deinit { EVP_MD_CTX_free(context) }

    /// The digest of the bytes so far; the hash goes on.
    package var digest: Digest { SHA256(after: context).finish() }

    /// Hashes the next bytes of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of all the bytes so far; ends the hash.
    package consuming func finish() -> Digest {
        Digest { EVP_DigestFinal_ex(context, $0, nil) }
    }

    /// The digest of bytes that are all in memory.
    package static func digest(of bytes: some Collection<UInt8>) -> Digest {
        var hash = SHA256()
        if bytes.withContiguousStorageIfAvailable({ hash.update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { hash.update($0) }
        }
        return hash.finish()
    }
}
