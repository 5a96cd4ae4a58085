// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import Kernel
internal import Synchronization

/// Certificate authorities that are trusted for origins, as a file in memory. libcurl reads a file and caches the parsed result
/// by the file's path. So no two bundles of a process share a path, even if one gets the other's descriptor number.
package final class AuthorityBundle: Sendable {
    private let file: OwnedDescriptor
    private let digest: Digest
    /// The path by which this process can open the file.
    package let path: String

    private static let made = Atomic<Int>(0)
    /// After so many bundles a path may repeat; libcurl caches only one.
    private static let paths = 1000

    /// - Parameter text: certificates in PEM.
    /// - Throws: if the file in memory cannot be made.
    package init(_ text: [UInt8]) throws(SystemError) {
        file = try MemoryFile.holding(ImmutableBytes(text))
        digest = SHA256.digest(of: text)
        let number = Self.made.add(1, ordering: .relaxed).oldValue % Self.paths
        // Cannot trap: the number is a remainder, so it is small.
        path = "/proc/self/fd/" + String(repeating: "./", count: number) + "\(file.raw)"
    }
}

/// Bundles are equal if their contents are.
extension AuthorityBundle: Hashable {
    package static func == (a: AuthorityBundle, b: AuthorityBundle) -> Bool { a.digest == b.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
