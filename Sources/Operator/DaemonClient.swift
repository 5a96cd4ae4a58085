// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel
package import Settings

/// An HTTP client for a listener of the daemon, admin or public, for Pictor's own commands. Each request has a connection of its
/// own.
package struct DaemonClient: Sendable {
    /// An answer of the listener.
    package struct Reply: Sendable {
        /// The address that answered, as it was given to the client.
        package let address: String
        /// The HTTP status; 0 if the answer is not HTTP.
        package let status: Int
        /// Field lines of the head.
        let fields: [Substring]
        /// The content; empty if there is none.
        package let body: String

        /// The value of the first field of this name, which must be in lower case.
        package func field(_ name: String) -> String? {
            for line in fields {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2, parts[0].lowercased() == name {
                    return parts[1].trimming(while: \.isWhitespace)
                }
            }
            return nil
        }
    }

    /// Each is host:port or unix:/path, as in `admin.listen`. The first one that accepts a connection is used.
    private let addresses: [String]
    private let secret: Secret
    /// The timeout in seconds for connecting, and for each read and write.
    private let timeout: Int

    /// - Parameters:
    ///   - addresses: the addresses of one daemon, as in `admin.listen`.
    ///   - secret: sent as bearer token if it is set.
    ///   - timeout: seconds to connect, and for each read and write.
    package init(_ addresses: [String], secret: Secret = .none, timeout: Int) {
        self.addresses = addresses
        self.secret = secret
        self.timeout = timeout
    }

    /// True for a `ServerAddress` that a client can connect to: port 0 only makes sense for a server.
    package static func isAddress(_ text: String) -> Bool {
        switch ServerAddress(text) {
        case .tcp(_, let port): port > 0
        case .unix: true
        case nil: false
        }
    }

    /// Sends one request and waits for its answer.
    /// - Parameter fields: lines of the request's head, each with its CRLF.
    /// - Throws: if no address accepts a connection, or the listener is silent for longer than the timeout.
    package func send(
        _ method: String, _ target: String, fields: String = "", body: String = ""
    ) throws(SystemError) -> Reply {
        let authorization = secret.isSet ? "Authorization: Bearer \(secret.text)\r\n" : ""
        let request = """
            \(method) \(target) HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Content-Length: \(body.utf8.count)\r
            \(authorization)\(fields)\r
            \(body)
            """
        let (socket, address) = try connected()
        do throws(SystemError) {
            let text = try exchange(request, OwnedDescriptor(adopting: socket))
            return Self.reply(text, of: address)
        } catch {
            throw error.at(address)
        }
    }

    /// The most bytes of a reply; a page of a thousand long URLs has 5 MB.
    private static let longestReply = 16 << 20

    private func exchange(_ request: String, _ descriptor: OwnedDescriptor) throws(SystemError) -> String {
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("send") }
            rest = rest.dropFirst(count)
        }
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reply.count < Self.longestReply {
            let count = recv(descriptor.raw, &buffer, buffer.count, 0)
            // A signal, for example because the terminal's size changes, interrupts a call with a timeout, and the kernel does
            // not restart it (signal(7)).
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("recv") }
            if count == 0 { break }
            reply += buffer[..<count]
        }
        return String(decoding: reply, as: UTF8.self)
    }

    /// The call that has just failed. When the timeout has passed, the kernel reports EAGAIN or EINPROGRESS (socket(7)), which
    /// becomes ETIMEDOUT here.
    private static func failure(_ call: String) -> SystemError {
        let code = errno
        return SystemError(call, code: [EAGAIN, EINPROGRESS].contains(code) ? ETIMEDOUT : code)
    }

    private static func reply(_ text: String, of address: String) -> Reply {
        let status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts.first?.split(separator: "\r\n").dropFirst() ?? []
        return Reply(
            address: address, status: status ?? 0, fields: Array(lines),
            body: parts.dropFirst().first.map(String.init) ?? "")
    }

    /// - Throws: the error of the first address.
    private func connected() throws(SystemError) -> (socket: Int32, address: String) {
        var failure: SystemError?
        for address in addresses {
            do throws(SystemError) { return (try connected(to: address), address) } catch {
                failure = failure ?? error.at(address)
            }
        }
        throw failure ?? SystemError("address", code: EDESTADDRREQ)
    }

    private func connected(to address: String) throws(SystemError) -> Int32 {
        switch ServerAddress(address) {
        case .tcp(let host, let port): return try connected(to: host, port)
        case .unix(let path): return try connected(toPath: path)
        case nil: throw SystemError("address", code: EINVAL)
        }
    }

    private func connected(to name: String, _ port: UInt16) throws(SystemError) -> Int32 {
        // A daemon with ":8081" listens at every address, and so does one with "[::]:8081", over IPv4, too. If IPv6 is off, it
        // listens over IPv4 alone.
        let hosts = name.isEmpty ? ["localhost"] : name == "::" ? ["::", "127.0.0.1"] : [name]
        var failure = SystemError("getaddrinfo", code: ENOENT)
        for host in hosts {
            do throws(SystemError) { return try connected(toHost: host, port) } catch { failure = error }
        }
        throw failure
    }

    private func connected(toHost host: String, _ port: UInt16) throws(SystemError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let list else {
            throw SystemError("getaddrinfo", code: result == EAI_SYSTEM ? errno : result)
        }
        defer { freeaddrinfo(list) }
        // A name may have addresses at which nobody listens: `localhost` is ::1 as well as 127.0.0.1.
        var failure = SystemError("getaddrinfo", code: ENOENT)
        for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
            do throws(SystemError) {
                return try connected(
                    family: entry.pointee.ai_family, entry.pointee.ai_addr, entry.pointee.ai_addrlen)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func connected(toPath path: String) throws(SystemError) -> Int32 {
        guard let name = UnixSocketName(path: path) else {
            let isLong = path.utf8.count > UnixSocketName.longest
            throw SystemError("address", code: isLong ? ENAMETOOLONG : EINVAL)
        }
        let socket = try self.socket(AF_UNIX)
        return try Self.checked(name.withAddress { connect(socket, $0, $1) }, socket)
    }

    private func connected(
        family: Int32, _ name: UnsafePointer<sockaddr>, _ size: socklen_t
    ) throws(SystemError) -> Int32 {
        let socket = try self.socket(family)
        return try Self.checked(connect(socket, name, size), socket)
    }

    /// Makes a socket with the timeouts. They limit connect(2), too, which waits if a hung daemon's queue of connections is full.
    private func socket(_ family: Int32) throws(SystemError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(family, kind, 0)
        guard socket >= 0 else { throw .last("socket") }
        var timeout = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        return socket
    }

    private static func checked(_ result: Int32, _ socket: Int32) throws(SystemError) -> Int32 {
        guard result == 0 else {
            let error = failure("connect")
            close(socket)
            throw error
        }
        return socket
    }
}

extension SystemError {
    fileprivate func at(_ address: String) -> SystemError { SystemError("\(address): \(call)", code: code) }
}
