// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import Kernel
internal import Synchronization

/// Certificate authorities that vouch for origins, as a file in memory. libcurl reads a file, and keeps what it has parsed
/// by the file's path; so no two bundles of a process have the same path, even if one gets the other's descriptor.
package final class AuthorityBundle: Sendable {
    private let file: OwnedDescriptor
    private let digest: Digest
    /// As this process names the file.
    package let path: String

    private static let made = Atomic<Int>(0)
    /// Bundles until a path may come again; libcurl keeps one.
    private static let paths = 1000

    /// - Parameter text: certificates in PEM.
    /// - Throws: if there is no file in memory.
    package init(_ text: [UInt8]) throws(SystemError) {
        file = try MemoryFile.holding(ImmutableBytes(text))
        digest = SHA256.digest(of: text)
        let number = Self.made.add(1, ordering: .relaxed).oldValue % Self.paths
        // Cannot trap: a remainder.
        path = "/proc/self/fd/" + String(repeating: "./", count: number) + "\(file.raw)"
    }
}

/// By what they hold.
extension AuthorityBundle: Hashable {
    package static func == (a: AuthorityBundle, b: AuthorityBundle) -> Bool { a.digest == b.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
