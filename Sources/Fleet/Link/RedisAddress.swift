// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel

/// Where a Redis or a Sentinel listens: `redis://host:6379/0`, `rediss://…` for TLS, or `unix:/path`.
package struct RedisAddress: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A host name, an IPv4 address, or an IPv6 address without brackets.
        case host(String, port: UInt16)
        case socket(path: String)
    }

    package var place: Place
    /// True for TLS. The server's certificate must be valid for the host.
    package var isSecure = false
    /// The database's number, for SELECT.
    package var database = 0

    package init(_ place: Place, isSecure: Bool = false, database: Int = 0) {
        self.place = place
        self.isSecure = isSecure
        self.database = database
    }

    /// Nil if the text is anything else. An address has no password, because addresses are logged.
    package init?(_ text: String) {
        if let path = UnixSocketName.path(in: text) {
            guard path.hasPrefix("/"), UnixSocketName(path: path) != nil,
                path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { return nil }
            self.init(.socket(path: path))
            return
        }
        let isSecure = text.hasPrefix("rediss://")
        guard isSecure || text.hasPrefix("redis://") else { return nil }
        let rest = text.dropFirst(isSecure ? "rediss://".count : "redis://".count)
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let authority = parts.first else { return nil }
        let path = parts.count == 2 ? parts[1] : ""
        guard path.utf8.allSatisfy(\.isASCIIDigit),
            let database = path.isEmpty ? 0 : Int(path), database < 1 << 20,
            let place = Self.place(authority, port: 6379)
        else { return nil }
        self.init(place, isSecure: isSecure, database: database)
    }

    /// Reads `host:port` as `MOVED` and `ASK` spell it.
    package init?(moved text: Substring, from old: RedisAddress) {
        guard let place = Self.place(text, port: nil) else { return nil }
        // An empty host, as in "MOVED 1 :7001", stands for the host of the node that answered.
        if case .host("", let port) = place {
            guard case .host(let host, _) = old.place else { return nil }
            self.init(.host(host, port: port), isSecure: old.isSecure, database: old.database)
        } else {
            self.init(place, isSecure: old.isSecure, database: old.database)
        }
        if case .host("", _) = self.place { return nil }
    }

    private static func place(_ text: Substring, port: UInt16?) -> Place? {
        var (host, number) = (text, port)
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            let isMoved = port == nil
            let digits = text[text.index(after: colon)...]
            guard let given = UInt16(digits), given > 0 else { return nil }
            (host, number) = (text[..<colon], given)
            // An IPv6 address needs brackets, except in `MOVED`.
            guard isMoved || !host.contains(":") || host.hasPrefix("[") else { return nil }
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let number, port == nil || !host.isEmpty, host.utf8.count < 254,
            host.utf8.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: ":") })
        else { return nil }
        return .host(String(host), port: number)
    }

    /// For logs: `redis.example:6379`, or the path.
    package var words: String {
        switch place {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .socket(let path): path
        }
    }
}
