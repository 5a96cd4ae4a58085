// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// An address on which a server listens.
package enum ListenAddress: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets; port 0 asks the kernel for a free one. Every loop gets its own
    /// socket (SO_REUSEPORT), and the kernel spreads connections over them.
    case tcp(host: String, port: UInt16)
    /// A path. A socket file that an earlier process left there is replaced; the loops share the new socket.
    case unix(path: String)
    /// A listening socket that is already open (systemd's LISTEN_FDS); the loops share it.
    case inherited(descriptor: Int32)
}

extension ListenAddress {
    /// Reads the spelling of `ServerAddress`.
    package init?(text: String) {
        switch ServerAddress(text) {
        case .tcp(let host, let port): self = .tcp(host: host.isEmpty ? "::" : host, port: port)
        case .unix(let path): self = .unix(path: path)
        case nil: return nil
        }
    }

    /// The form that `init(text:)` reads. An inherited socket has no such form, so its text is for people only.
    package var text: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): UnixSocketName.prefix + path
        case .inherited(let descriptor): "descriptor \(descriptor)"
        }
    }
}
