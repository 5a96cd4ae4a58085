// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The name of a unix socket (unix(7)), short enough for the kernel.
package struct UnixSocketName: Sendable, Hashable {
    /// The prefix of an address that is a socket's path, in settings that accept other kinds of addresses, too.
    package static let prefix = "unix:"
    /// The most bytes of a name: `sun_path` has 108 bytes, and a zero byte ends a path.
    package static let longest = 107
    /// The rule for a path, for messages.
    package static let rule = "1 to \(longest) bytes, and none of them is zero"

    /// A path without its final zero byte, or a name of the abstract namespace with its leading zero byte.
    private let bytes: [UInt8]

    /// A name in the file system; nil if the path is empty, longer than `longest`, or holds a zero byte, which would end it.
    package init?(path: String) {
        let bytes = Array(path.utf8)
        guard (1...Self.longest).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    /// Reads a name as service managers spell it: a path, or `@` and a name of the abstract namespace (sd_notify(3)).
    package init?(notifySocket text: String) {
        guard text != "@", let name = UnixSocketName(path: text) else { return nil }
        bytes = text.hasPrefix("@") ? [0] + name.bytes.dropFirst() : name.bytes
    }

    /// The text after `unix:`, whether or not the kernel accepts it as a socket's name; nil for an address of another kind.
    package static func path(in address: String) -> String? {
        address.hasPrefix(prefix) ? String(address.dropFirst(prefix.count)) : nil
    }

    /// Passes the name to one call of bind(2), connect(2) or sendto(2). Nothing here changes `errno` after the call.
    package func withAddress<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        // The size ends an abstract name; it may end a path as well, in place of a zero byte.
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) }
        }
    }
}
