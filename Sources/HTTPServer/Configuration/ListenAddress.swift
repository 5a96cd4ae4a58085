// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Where a server listens.
package enum ListenAddress: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets; port 0 asks the kernel for a free one. Every loop gets its own
    /// socket (SO_REUSEPORT), and the kernel spreads connections over them.
    case tcp(host: String, port: UInt16)
    /// A path. A socket that is left there from before is replaced; the loops share the new one.
    case unix(path: String)
    /// A listening socket that is already open (systemd's LISTEN_FDS); the loops share it.
    case inherited(descriptor: Int32)
}

extension ListenAddress {
    /// host:port, [v6]:port, :port, or unix:/path.
    package init?(text: String) {
        if let path = UnixSocketName.path(in: text) {
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self = .tcp(host: host.isEmpty ? "::" : host, port: port)
    }

    /// The form that `init(text:)` reads; an inherited socket has none, so its text is for people.
    package var text: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): UnixSocketName.prefix + path
        case .inherited(let descriptor): "descriptor \(descriptor)"
        }
    }
}
