// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import Synchronization

/// A collector of traces on loopback (OTLP/HTTP), on plain blocking sockets, a thread a connection.
///
/// **Isolation:** a `Mutex`.
package final class TraceCollector: Sendable {
    /// A span as it came.
    package struct Span: Sendable {
        package let name: String
        package let trace: [UInt8]
        package let id: [UInt8]
        package let parent: [UInt8]
        package let state: String
        package let kind: UInt64
        package let start: UInt64
        package let end: UInt64
        /// Numbers in decimal digits.
        package let attributes: [String: String]
        /// Trace and span of each.
        package let links: [[UInt8]]
        package let isFailed: Bool

        init(_ reader: ProtobufReader) throws {
            func optional(_ field: UInt64) -> [UInt8] { (try? reader.bytes(field)) ?? [] }
            (trace, id) = (try reader.bytes(1), try reader.bytes(2))
            (state, parent) = (String(decoding: optional(3), as: UTF8.self), optional(4))
            (name, kind) = (try reader.text(5), try reader.number(6))
            (start, end) = (try reader.number(7), try reader.number(8))
            attributes = try Self.attributes(reader.messages(9))
            links = try reader.messages(13).map { try $0.bytes(1) + $0.bytes(2) }
            isFailed = try reader.messages(15).contains { try $0.number(3) == 2 }
        }

        static func attributes(_ messages: [ProtobufReader]) throws -> [String: String] {
            var attributes: [String: String] = [:]
            for message in messages {
                let value = try message.message(2)
                attributes[try message.text(1)] =
                    try value.fields[1].map { _ in try value.text(1) }
                    ?? String(value.fields[2] == nil ? value.number(3) : value.number(2))
            }
            return attributes
        }
    }

    private struct State {
        var heads: [String] = []
        var spans: [Span] = []
        var resource: [String: String] = [:]
        var malformed = 0
    }

    package let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let changed = NSCondition()

    /// - Parameters:
    ///   - content: of each answer.
    ///   - answer: the status line's end, and fields, for the request of that number, from 0.
    package init(
        content: [UInt8] = [], answer: @escaping @Sendable (_ number: Int) -> String = { _ in "200 OK" }
    ) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutableBytes(of: &name) { bytes in
            guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return }
            precondition(bind(listener, pointer, size) == 0 && listen(listener, 64) == 0, "loopback")
            getsockname(listener, pointer, &size)
        }
        port = UInt16(bigEndian: name.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { [weak self] in
                    while let (head, body) = Self.request(on: connection) {
                        guard let self else { break }
                        let status = answer(self.take(head, body))
                        let reply =
                            Array("HTTP/1.1 \(status)\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
                            + content
                        guard reply.count == send(connection, reply, reply.count, Int32(MSG_NOSIGNAL))
                        else { break }
                    }
                    close(connection)
                }
            }
            close(listener)
        }
    }

    deinit { Glibc.shutdown(listener, Int32(SHUT_RDWR)) }

    /// As the setting takes it.
    package var endpoint: String { "http://127.0.0.1:\(port)" }
    package var heads: [String] { state.withLock { $0.heads } }
    package var resource: [String: String] { state.withLock { $0.resource } }
    package var malformed: Int { state.withLock { $0.malformed } }
    package var spans: [Span] { state.withLock { $0.spans } }

    /// The spans once they are enough.
    package func spans(_ areEnough: ([Span]) -> Bool) -> [Span]? {
        let end = Date(timeIntervalSinceNow: Patience.seconds)
        changed.lock()
        defer { changed.unlock() }
        while true {
            let spans = spans
            if areEnough(spans) { return spans }
            guard changed.wait(until: end) else { return nil }
        }
    }

    /// The number of requests before.
    private func take(_ head: String, _ body: [UInt8]) -> Int {
        let number = state.withLock { state in
            defer { state.heads.append(head) }
            do {
                for group in try ProtobufReader(body).messages(1) {
                    state.resource = try Span.attributes(group.message(1).messages(1))
                    for scope in try group.messages(2) {
                        state.spans += try scope.messages(2).map(Span.init)
                    }
                }
            } catch {
                state.malformed += 1
            }
            return state.heads.count
        }
        changed.lock()
        changed.broadcast()
        changed.unlock()
        return number
    }

    private static func request(on connection: Int32) -> (head: String, body: [UInt8])? {
        var input: [UInt8] = []
        var head: String?
        var length = 0
        while true {
            if head == nil, let range = input.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: input[..<range.upperBound], as: UTF8.self)
                head = text
                let field = text.lowercased().split(separator: "\r\n").first {
                    $0.hasPrefix("content-length:")
                }
                length = field.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
                input.removeSubrange(..<range.upperBound)
            }
            if let head, input.count >= length { return (head, input) }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            input += chunk[..<count]
        }
    }
}
