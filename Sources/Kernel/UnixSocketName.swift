// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The name of a unix socket (unix(7)), short enough for the kernel.
package struct UnixSocketName: Sendable, Hashable {
    /// Begins an address that is a socket's path, where other kinds of addresses may stand.
    package static let prefix = "unix:"
    /// Bytes of a name: `sun_path` has 108 with the zero that ends a path.
    package static let longest = 107
    /// What a path must have, for messages.
    package static let rule = "1 to \(longest) bytes, and none of them is zero"

    /// A path without the zero that ends it, or a name of the abstract namespace with the zero that begins it.
    private let bytes: [UInt8]

    /// A name in the file system; nil if the path is empty, longer than `longest`, or holds a zero byte, which would end it.
    package init?(path: String) {
        let bytes = Array(path.utf8)
        guard (1...Self.longest).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    /// As service managers spell it: a path, or `@` and a name of the abstract namespace (sd_notify(3)).
    package init?(notifySocket text: String) {
        guard text != "@", let name = UnixSocketName(path: text) else { return nil }
        bytes = text.hasPrefix("@") ? [0] + name.bytes.dropFirst() : name.bytes
    }

    /// What stands behind `unix:`, whether or not a socket may have it for its name; nil for an address of another kind.
    package static func path(in address: String) -> String? {
        address.hasPrefix(prefix) ? String(address.dropFirst(prefix.count)) : nil
    }

    /// The name for one call of bind(2), connect(2) or sendto(2). Nothing follows the call here that changes `errno`.
    package func withAddress<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        // An abstract name ends with the size, and so may a path.
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) }
        }
    }
}
