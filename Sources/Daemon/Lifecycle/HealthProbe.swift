// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel

/// One GET of /health/ready at an admin listener, for `pictor health` and a container's health check, where no
/// curl is at hand.
package enum HealthProbe {
    package struct Answer: Sendable {
        package let isReady: Bool
        package let text: String
    }

    /// - Parameter address: host:port or unix:/path, as in `admin.listen`.
    package static func ask(_ address: String) throws(SystemError) -> Answer {
        do throws(SystemError) {
            return try answer(of: address)
        } catch {
            throw SystemError("\(address): \(error.call)", code: error.code)
        }
    }

    private static func answer(of address: String) throws(SystemError) -> Answer {
        let descriptor = OwnedDescriptor(adopting: try connected(to: address))
        // Five seconds for each wait: a daemon that is slower than that is not ready.
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor.raw, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let request = Array("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor.raw, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw .last("send")
        }
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while reply.count < 65_536 {
            let count = recv(descriptor.raw, &buffer, buffer.count, 0)
            guard count >= 0 else { throw .last("recv") }
            if count == 0 { break }
            reply += buffer[..<count]
        }
        let text = String(decoding: reply, as: UTF8.self)
        let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
        return Answer(isReady: text.hasPrefix("HTTP/1.1 200 "), text: body)
    }

    private static func connected(to address: String) throws(SystemError) -> Int32 {
        if address.hasPrefix("unix:") { return try connectedToPath(String(address.dropFirst(5))) }
        guard let colon = address.lastIndex(of: ":") else { throw SystemError("address", code: EINVAL) }
        let name = address[..<colon].filter { $0 != "[" && $0 != "]" }
        let host = name.isEmpty ? "localhost" : name  // ":8081" listens everywhere
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(address[address.index(after: colon)...]), &hints, &list) == 0, let list
        else {
            throw SystemError("getaddrinfo", code: ENOENT)
        }
        defer { freeaddrinfo(list) }
        return try connected(family: list.pointee.ai_family, list.pointee.ai_addr, list.pointee.ai_addrlen)
    }

    private static func connectedToPath(_ path: String) throws(SystemError) -> Int32 {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
            throw SystemError("connect", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .last("socket") }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        return try checked(result, socket)
    }

    private static func connected(
        family: Int32, _ name: UnsafePointer<sockaddr>, _ size: socklen_t
    ) throws(SystemError) -> Int32 {
        let socket = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .last("socket") }
        return try checked(connect(socket, name, size), socket)
    }

    private static func checked(_ result: Int32, _ socket: Int32) throws(SystemError) -> Int32 {
        guard result == 0 else {
            let error = SystemError.last("connect")
            close(socket)
            throw error
        }
        return socket
    }
}
