// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("The service manager is told what goes on", .endToEnd)
struct ServiceManagerTests {
    @Test func `a stop asks for the time of each of its parts, and first of all for the drain`() throws {
        let manager = try NotifySocket()
        let daemon = try DaemonUnderTest(
            ["--server-drain-delay", "1ms", "--server-drain-timeout", "2m"],
            environment: ["NOTIFY_SOCKET": manager.path])
        #expect(daemon.stop() == 0)
        let messages = manager.end()
        #expect(messages.prefix(2) == ["READY=1", "STOPPING=1"])
        let times = messages.dropFirst(2).map { $0.wholeMatch(of: /EXTEND_TIMEOUT_USEC=(\d+)/) }
        let seconds = try times.map { try #require($0.flatMap { Int($0.1) }) / 1_000_000 }
        // More than asked for, because the machine may be busy.
        #expect(try #require(seconds.first) > 120)
        #expect(try #require(seconds.last) > 20, "the cache's disk may hang")
    }

    @Test func `a stop before the daemon is ready is told, too`() throws {
        let manager = try NotifySocket()
        let start = try HeldStart(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(kill(start.process.processIdentifier, SIGTERM) == 0)
        #expect(start.exitStatus() == 0)
        #expect(manager.end() == ["STOPPING=1"])
    }

    @Test func `one that does not read holds up neither the start nor the end`() throws {
        let manager = try NotifySocket(isRead: false)
        manager.fill()
        let daemon = try DaemonUnderTest(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(try daemon.get("/nothing").status == 404)
        #expect(daemon.stop() == 0)
        let start = try HeldStart(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(kill(start.process.processIdentifier, SIGTERM) == 0)
        #expect(start.exitStatus() == 0)
    }
}

/// What a service manager has in `$NOTIFY_SOCKET`.
///
/// **Isolation:** a `Mutex`; the socket is read by a thread of its own.
private final class NotifySocket: Sendable {
    private static let last = "the end"

    let path: String
    private let folder = TemporaryFolder()
    private let socket: Int32
    private let messages = Mutex<[String]>([])
    private let ended = Latch()

    init(isRead: Bool = true) throws {
        path = folder.path + "/notify"
        socket = Self.makeSocket()
        let isBound = Self.withName(path) { bind(socket, $0, $1) == 0 }
        try #require(socket >= 0 && isBound)
        if isRead { Thread.detachNewThread { self.read() } }
    }

    deinit { close(socket) }

    private static func makeSocket() -> Int32 {
        Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// Sends until there is no room for anybody's message. A sender's own buffer may have less room than the queue.
    func fill() {
        let byte: [UInt8] = [0]
        var senders: [Int32] = []
        defer { for sender in senders { close(sender) } }
        var sent = 0
        repeat {
            let sender = Self.makeSocket()
            senders.append(sender)
            sent = Self.withName(path) { name, size in
                var count = 0
                while sendto(sender, byte, byte.count, Int32(MSG_DONTWAIT), name, size) == 1 {
                    count += 1
                }
                return count
            }
        } while sent > 0
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            let message = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
            if count <= 0 || message == Self.last { break }
            messages.withLock { $0.append(message) }
        }
        ended.signal()
    }

    /// All that came, in its order. To be called once, when nobody writes any more.
    func end() -> [String] {
        let bytes = Array(Self.last.utf8)
        let sent = Self.withName(path) { sendto(socket, bytes, bytes.count, 0, $0, $1) }
        #expect(sent == bytes.count && ended.wait())
        return messages.withLock { $0 }
    }

    private static func withName<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
