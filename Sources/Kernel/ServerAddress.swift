// SPDX-License-Identifier: Apache-2.0

/// An address that a server listens at and a client connects to, as settings and flags spell it: `host:port`, `[v6]:port`,
/// `:port` or `unix:/path`.
package enum ServerAddress: Sendable, Hashable {
    /// A host name or an address (IPv6 without brackets). An empty host stands for every address of this machine.
    case tcp(host: String, port: UInt16)
    /// A path of at least one byte. `UnixSocketName` checks whether the kernel accepts it as a socket's name.
    case unix(path: String)

    /// Nil for anything else, such as a URL, an IPv6 address without brackets, or a port that is no number up to 65535.
    package init?(_ text: String) {
        if let path = UnixSocketName.path(in: text) {
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        // `UInt16(_:)` accepts a sign as well, so the digits are checked first.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard !host.isEmpty else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.contains("/") else { return nil }
        self = .tcp(host: String(host), port: port)
    }
}
