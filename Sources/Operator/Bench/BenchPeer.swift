// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// An address of the host that is measured.
struct BenchPeer: Sendable {
    private let family: Int32
    /// The bytes of a `sockaddr` of this family.
    private let name: [UInt8]

    /// All addresses of the host, in the resolver's order.
    /// - Throws: if the host has no address.
    static func all(of target: BenchTarget) throws -> [BenchPeer] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(target.host, "\(target.port)", &hints, &list)
        guard result == 0, let list else {
            throw BenchTarget.Mistake(
                description: "\(target.host) has no address: \(String(cString: gai_strerror(result))).")
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0.pointee.ai_next }).compactMap { entry in
            guard let name = entry.pointee.ai_addr else { return nil }
            let bytes = UnsafeRawBufferPointer(start: name, count: Int(clamping: entry.pointee.ai_addrlen))
            return BenchPeer(family: entry.pointee.ai_family, name: Array(bytes))
        }
    }

    /// Begins to connect. The socket becomes writable when connecting has succeeded or failed.
    func connected() throws(SystemError) -> OwnedDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let raw = socket(family, kind, 0)
        guard raw >= 0 else { throw .last("socket") }
        let socket = OwnedDescriptor(adopting: raw)
        var isOn: Int32 = 1
        setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let result = name.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { names in
                connect(raw, names.baseAddress, socklen_t(clamping: bytes.count))
            }
        }
        guard result == 0 || errno == EINPROGRESS else { throw .last("connect") }
        return socket
    }
}
