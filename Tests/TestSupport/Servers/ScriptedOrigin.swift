// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
package import SourceURLs
internal import Synchronization

/// An origin on loopback that does what a test tells it, on plain blocking sockets, a thread a connection.
///
/// **Isolation:** a `Mutex`.
package final class ScriptedOrigin: Sendable {
    package typealias Script = @Sendable (Peer) -> Void

    private struct State {
        var accepted = 0
        var heads: [String] = []
    }

    package let address: String
    package let port: UInt16
    /// A connection on which the client hung up or reset, in the order in which that was seen.
    package let hangups: AsyncStream<Void>
    private let hangup: AsyncStream<Void>.Continuation
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: 0 is one of the kernel's choice.
    ///   - greeting: said before anything was asked.
    ///   - opening: what is done on a connection before its first request is read.
    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, greeting: String = "",
        opening: @escaping Script = { _ in }, _ script: @escaping Script
    ) {
        self.address = address
        (hangups, hangup) = AsyncStream.makeStream()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &name) { bytes in
            guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return }
            precondition(bind(listener, pointer, size) == 0 && listen(listener, 512) == 0, "loopback")
            getsockname(listener, pointer, &size)
        }
        self.port = UInt16(bigEndian: name.sin_port)
        self.listener = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, [EINTR, ECONNABORTED].contains(errno) { continue }
                guard connection >= 0, let self else { break }
                // A process that another test starts must not hold it open.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                self.state.withLock { $0.accepted += 1 }
                Thread.detachNewThread { [weak self] in
                    let first = Peer(connection, head: "")
                    first.send(greeting)
                    opening(first)
                    if !first.isDone {
                        Peer.serve(connection) { peer in
                            self?.state.withLock { $0.heads.append(peer.head) }
                            script(peer)
                        }
                    }
                    close(connection)
                    self?.hangup.yield()
                }
            }
            close(listener)
        }
    }

    deinit { Glibc.shutdown(listener, Int32(SHUT_RDWR)) }

    /// Connections.
    package var accepted: Int { state.withLock { $0.accepted } }
    /// Request heads, in the order in which they arrived.
    package var heads: [String] { state.withLock { $0.heads } }

    package func url(_ target: String = "/picture", host: String? = nil) -> SourceURL {
        SourceURL(scheme: .http, host: host ?? address, port: port, target: target)
    }

    /// Sockets of this process whose other end is this origin.
    package var clientSockets: Int {
        (0..<4096).count { descriptor in
            var name = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutableBytes(of: &name) { bytes in
                guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return false }
                return getpeername(Int32(descriptor), pointer, &size) == 0
            } && name.sin_port == port.bigEndian
        }
    }
}

/// One request, and the connection on which to answer it.
package final class Peer {
    package let head: String
    /// As long as its `Content-Length` says.
    package let body: [UInt8]
    /// The requests that came over the connection before.
    package let predecessors: Int
    private let connection: Int32
    fileprivate var isDone = false

    fileprivate init(_ connection: Int32, head: String, body: [UInt8] = [], predecessors: Int = 0) {
        self.connection = connection
        self.body = body
        self.head = head
        self.predecessors = predecessors
    }

    /// Reads one head after another until the client hangs up or a script hangs up on it.
    fileprivate static func serve(_ connection: Int32, _ script: (Peer) -> Void) {
        var input: [UInt8] = []
        var count = 0
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = input.firstRange(of: end),
                let length = Self.length(in: input[..<range.upperBound]),
                input.count - range.upperBound >= length
            {
                let peer = Peer(
                    connection, head: String(decoding: input[..<range.upperBound], as: UTF8.self),
                    body: Array(input[range.upperBound...].prefix(length)), predecessors: count)
                count += 1
                input.removeSubrange(..<(range.upperBound + length))
                script(peer)
                if peer.isDone { return }
                continue
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            input += chunk[..<count]
        }
    }

    private static func length(in head: ArraySlice<UInt8>) -> Int? {
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
        guard let line = lines.first(where: { $0.hasPrefix("content-length: ") }) else { return 0 }
        return Int(line.dropFirst("content-length: ".count))
    }

    /// The origin's port, from the request's `Host`.
    package var port: String { String(head.split(separator: "\r\n")[1].split(separator: ":")[2]) }

    package var target: String { String(head.split(separator: " ")[1]) }

    package func has(_ line: String) -> Bool {
        head.lowercased().contains("\r\n" + line.lowercased() + "\r\n")
    }

    /// False when the client is gone.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(text.utf8) }

    /// A whole response with a length. In one piece, because the rest of a connection's later responses would wait until the
    /// client acknowledges the beginning, which takes 40 ms (Nagle's algorithm and delayed acknowledgements).
    package func answer(_ status: String = "200 OK", fields: [String] = [], body: some Collection<UInt8> = [])
    {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        send(Array(lines.joined(separator: "\r\n").utf8) + body)
    }

    /// A picture that may be kept for so long.
    package func picture(_ bytes: [UInt8], maxAge: Int = 3600, fields: [String] = []) {
        answer(fields: ["Content-Type: image/png", "Cache-Control: max-age=\(maxAge)"] + fields, body: bytes)
    }

    package func redirect(to location: String, status: Int = 302) {
        answer("\(status) Elsewhere", fields: ["Location: \(location)"], body: "gone".utf8)
    }

    /// POLLRDHUP of poll(2), which Glibc's module leaves out.
    private static let readHangup: Int16 = 0x2000

    /// Whether the client hangs up within that time.
    package func hangsUp(within milliseconds: Int32) -> Bool {
        var events = pollfd(fd: connection, events: Self.readHangup, revents: 0)
        return poll(&events, 1, milliseconds) > 0
    }

    /// Waits for the next request, which stays unread.
    package func waitForInput() {
        var events = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        _ = poll(&events, 1, -1)
    }

    /// Says nothing more until the client hangs up.
    package func waitForHangup() {
        _ = hangsUp(within: -1)
        isDone = true
    }

    package func close() { isDone = true }

    /// So many bytes of what the client sends; fewer where it hangs up.
    package func read(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = recv(connection, &bytes, count, Int32(MSG_WAITALL))
        return Array(bytes.prefix(max(0, read)))
    }

    /// Passes everything on in both directions, until one end hangs up: a tunnel to that port of this machine.
    package func relay(to port: UInt16) {
        defer { isDone = true }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(server) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        let result = withUnsafeBytes(of: name) { bytes in
            connect(
                server, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else { return }
        var ends = [connection, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                let count = recv(ends[from].fd, &buffer, buffer.count, 0)
                guard count > 0,
                    Glibc.send(ends[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count
                else { return }
            }
        }
    }

    /// Waits until the client's kernel has all that was sent, or the client is gone.
    package func waitForReceipt() {
        var unsent: Int32 = 0
        // Without a name in Glibc's module: SIOCOUTQ of tcp(7), bytes that are not acknowledged.
        _ = Patience.until {
            ioctl(connection, UInt(TIOCOUTQ), &unsent) != 0 || unsent == 0 || hangsUp(within: 0)
        }
    }

    /// Ends the connection with RST, once the client has what was sent before: what is still here would be lost.
    package func reset() {
        waitForReceipt()
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        isDone = true
    }
}
