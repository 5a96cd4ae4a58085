// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTP1
import HTTPServer
import TestSupport

/// Runs blocking work on a thread of its own, because the handlers' tasks need the pool's few threads.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// An answer as a client reads it: its head and its content.
struct Answer: Equatable, Sendable {
    var status: Int
    var head: String
    var content: [UInt8]

    func has(_ line: String) -> Bool { head.contains("\r\n\(line)\r\n") }
    var text: String { String(decoding: content, as: UTF8.self) }
}

struct ClientError: Error { let what: String }

/// Listens on a free port of loopback. Clients that connect wait in the kernel's queue, with the bytes that they have sent, until a
/// server inherits the socket.
func listeningSocket() throws -> (descriptor: Int32, address: ListenAddress) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isListening else { throw ClientError(what: "listen: \(errno)") }
    return (descriptor, .tcp(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port)))
}

/// A blocking client. Every wait ends after `Patience.seconds`, far longer than in any test that passes.
///
/// **Isolation:** one thread reads at a time; `@unchecked Sendable` because each test sees to that.
final class Client: @unchecked Sendable {
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ address: ListenAddress, receiveBuffer: Int32? = nil) throws {
        guard case .tcp(_, let port) = address else { throw ClientError(what: "not TCP") }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ClientError(what: "connect: \(errno)") }
        // Set after connect(2), which would otherwise be interrupted if the process is stopped and continued, see signal(7).
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// A client that has sent this text and shut its side, so that a server that accepts it later reads both at once.
    convenience init(_ address: ListenAddress, halfClosedAfter text: String) throws {
        try self.init(address)
        try send(text)
        shutDownSending()
    }

    deinit { leave() }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = Self.uninterrupted {
                rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            guard count > 0 else { throw ClientError(what: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Repeats a call that was interrupted, as when the process is stopped and continued (signal(7)).
    private static func uninterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    func shutDownSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends the text and the end in one segment.
    func shutDownSending(with text: String) {
        let bytes = Array(text.utf8)
        _ = Self.uninterrupted {
            Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_MORE))
        }
        shutDownSending()
    }

    /// True if the server has closed; false if bytes arrived.
    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = Self.uninterrupted { recv(descriptor, &piece, piece.count, 0) }
        guard count >= 0 else { throw ClientError(what: "recv: \(errno)") }
        buffer += piece[..<count]
        return count == 0
    }

    /// Reads and drops at most `most` bytes; returns how many. 0 if the server has closed or reset.
    func take(_ most: Int) throws -> Int {
        var piece = [UInt8](repeating: 0, count: most)
        return max(0, Self.uninterrupted { recv(descriptor, &piece, most, 0) })
    }

    /// The next answer. `headOnly` is true for the answer to a HEAD, which has no content whatever its length says.
    func receive(headOnly: Bool = false) throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        while buffer.firstRange(of: end) == nil {
            if try fill() { throw ClientError(what: "closed after \(buffer.count) bytes of a head") }
        }
        guard let range = buffer.firstRange(of: end) else { throw ClientError(what: "no head") }
        let head = String(decoding: buffer[..<(range.lowerBound + 2)], as: UTF8.self)
        buffer.removeFirst(range.upperBound)
        guard let status = Int(head.split(separator: " ")[1]) else { throw ClientError(what: head) }
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        let count = headOnly || status == 304 || status < 200 ? 0 : length ?? 0
        while buffer.count < count {
            if try fill() { throw ClientError(what: "closed after \(buffer.count) of \(count)") }
        }
        let content = Array(buffer[..<count])
        buffer.removeFirst(count)
        return Answer(status: status, head: head, content: content)
    }

    /// The next answer, with its chunks undecoded.
    func receiveChunks() throws -> Answer {
        var answer = try receive()
        answer.content = try receive(until: "0\r\n\r\n")
        return answer
    }

    /// The bytes up to and including this text.
    func receive(until text: String) throws -> [UInt8] {
        let end = Array(text.utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeFirst(range.upperBound) }
                return Array(buffer[..<range.upperBound])
            }
            if try fill() { throw ClientError(what: "closed before \(text)") }
        }
    }

    /// Waits until the server has closed, cleanly or by a reset; returns the bytes before that.
    func receiveEnd() throws -> [UInt8] {
        while true {
            do { if try fill() { return buffer } } catch let error as ClientError {
                guard error.what == "recv: \(ECONNRESET)" else { throw error }
                return buffer
            }
        }
    }
}
