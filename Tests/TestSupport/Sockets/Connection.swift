// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A plain TCP connection to a server under test: sends exactly the bytes it is given and reads replies by their
/// `Content-Length`. Blocking, with a patience of a minute for every wait.
package final class Connection {
    package struct Reply {
        package var status: Int
        package var fields: [(name: String, value: String)]
        package var body: [UInt8]

        package subscript(name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private var socket: Int32
    private var pending: [UInt8] = []

    /// - Parameter source: where it comes from; all of 127.0.0.0/8 is this machine, so one can play many clients.
    package init(port: UInt16, from source: String = "127.0.0.1") throws {
        var name = Self.name("127.0.0.1")
        name.sin_port = port.bigEndian
        socket = try Self.connected(AF_INET, to: name, "port \(port)", from: Self.name(source))
    }

    private static func name(_ address: String) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, address, &name.sin_addr)
        return name
    }

    /// To a Unix socket.
    package init(path: String) throws {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        socket = try Self.connected(AF_UNIX, to: name, path)
    }

    /// Not inherited by the processes that other tests start: a connection that is closed here is closed.
    private static func connected<Name>(
        _ family: Int32, to name: Name, _ words: String, from source: Name? = nil
    ) throws -> Int32 {
        let socket = Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let source {
            withUnsafeBytes(of: source) { bytes in
                _ = bind(
                    socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        let result = withUnsafeBytes(of: name) { bytes in
            connect(
                socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(socket)
            throw Failure(description: "connect to \(words): \(String(cString: strerror(code)))")
        }
        var patience = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return socket
    }

    deinit { close() }

    package func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure(description: "send: \(String(cString: strerror(errno)))")
        }
    }

    package func request(
        _ target: String, method: String = "GET", fields: [(String, String)] = [], body: String = ""
    ) throws {
        let length = body.isEmpty ? [] : [("Content-Length", "\(body.utf8.count)")]
        let lines = (fields + length).map { "\($0.0): \($0.1)\r\n" }.joined()
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n\(body)")
    }

    /// - Parameter bodiless: the reply to a HEAD.
    package func reply(bodiless: Bool = false) throws -> Reply {
        let separator = Array("\r\n\r\n".utf8)
        var end = pending.firstRange(of: separator)
        while end == nil {
            guard try fill() else {
                throw Failure(description: "closed in the head after \(pending.count) bytes")
            }
            end = pending.firstRange(of: separator)
        }
        guard let end else { throw Failure(description: "no head") }
        var lines = String(decoding: pending[..<end.lowerBound], as: UTF8.self).components(
            separatedBy: "\r\n")
        pending.removeFirst(end.upperBound)
        let status = Int(lines.removeFirst().split(separator: " ").dropFirst().first ?? "") ?? 0
        var reply = Reply(
            status: status,
            fields: lines.compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                return (String(line[..<colon]), value)
            }, body: [])
        if bodiless || status == 304 { return reply }
        let length = Int(reply["Content-Length"] ?? "") ?? 0
        while pending.count < length {
            guard try fill() else {
                throw Failure(description: "closed in the body: \(pending.count) of \(length) bytes")
            }
        }
        reply.body = Array(pending[..<length])
        pending.removeFirst(length)
        return reply
    }

    /// What comes up to that text, and with it.
    package func read(until text: String) throws -> String {
        let end = Array(text.utf8)
        while true {
            if let range = pending.firstRange(of: end) {
                defer { pending.removeFirst(range.upperBound) }
                return String(decoding: pending[..<range.upperBound], as: UTF8.self)
            }
            guard try fill() else { throw Failure(description: "closed before \(text)") }
        }
    }

    /// Waits for something to read, and leaves it there; false: the server closed the connection before.
    package func hasInput() throws -> Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK))
        guard count >= 0 else { throw Failure(description: "recv: \(String(cString: strerror(errno)))") }
        return count > 0
    }

    /// Reads so many bytes and forgets them, if some are there already; does not wait.
    /// - Returns: how many there were.
    package func take(atMost count: Int) -> Int {
        var buffer = [UInt8](repeating: 0, count: count)
        return max(0, recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)))
    }

    /// Whether the server closed the connection, with nothing left to read.
    package func isClosed() throws -> Bool { try pending.isEmpty && !fill() }

    private func fill() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count: Int
        repeat { count = recv(socket, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(description: "recv: \(String(cString: strerror(errno)))") }
        pending += buffer[..<count]
        return count > 0
    }
}
