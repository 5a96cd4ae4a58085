// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import HTTPSemantics
internal import Synchronization

/// Addresses on which this process listens. Nothing is fetched from them, whatever the policy permits: otherwise clients could
/// reach the admin listener, and the public listener could request from itself in a loop.
///
/// **Isolation:** a `Mutex` guards the list.
package final class OwnListeners: Sendable {
    private struct Place {
        let address: IPAddress
        let port: UInt16
    }

    private let places = Mutex<[Place]>([])

    /// Adds a listener. A `host` that is no IP address stands for every address of this machine.
    package func add(host: String, port: UInt16) {
        let address = IPAddress(host)?.unmapped ?? .v6(0, 0)
        places.withLock { $0.append(Place(address: address, port: port)) }
    }

    func hold(_ address: IPAddress, port: UInt16) -> Bool {
        let found = places.withLock { $0.filter { $0.port == port } }
        guard !found.isEmpty else { return false }
        // A translator on the path may lead back here (RFC 6052).
        return SpecialRange.leads(address) { Self.hold($0, found) }
    }

    private static func hold(_ address: IPAddress, _ found: [Place]) -> Bool {
        // The kernel treats an unspecified destination as its own loopback.
        if address.isUnspecified || found.contains(where: { $0.address == address }) { return true }
        // A socket bound to the IPv6 wildcard also takes IPv4.
        return found.contains { $0.address.isUnspecified } && address.isOfThisMachine
    }
}

extension IPAddress {
    fileprivate var isUnspecified: Bool { self == .v4(0) || self == .v6(0, 0) }

    /// Asks the kernel: a process can bind only to addresses of its own machine. The attempt sends nothing and takes no port that
    /// is in use. (With net.ipv4.ip_nonlocal_bind set, every address passes.)
    fileprivate var isOfThisMachine: Bool {
        switch self {
        case .v4(let value):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_addr.s_addr = value.bigEndian
            return pictor_can_bind(AF_INET, &name, socklen_t(MemoryLayout<sockaddr_in>.size)) == 1
        case .v6(let high, let low):
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &name.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return pictor_can_bind(AF_INET6, &name, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 1
        }
    }
}
