// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import TestSupport
import Testing

@testable import Operator

@Suite("What commands wait for of a daemon", .timeLimit(.minutes(1)))
struct DaemonClientTests {
    private let folder = TemporaryFolder()

    /// A socket of the file system.
    private func socket() throws -> (descriptor: OwnedDescriptor, name: sockaddr_un) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let path = "\(folder.path)/socket"
        try #require(path.utf8.count < MemoryLayout.size(ofValue: name.sun_path))
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return (OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, kind, 0)), name)
    }

    private func call(
        _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ name: sockaddr_un
    ) -> Int32 {
        withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    @Test func `one that stands still, and whose queue is full, is given up`() throws {
        let (listener, name) = try socket()
        try #require(call({ bind($0, $1, $2) }, listener.raw, name) == 0 && listen(listener.raw, 0) == 0)
        var waiting: [OwnedDescriptor] = []
        while true {
            let (client, _) = try socket()
            guard call({ connect($0, $1, $2) }, client.raw, name) == 0 else { break }
            waiting.append(client)
            try #require(waiting.count < 100)
        }
        // The suite's limit ends it where nothing gives it up.
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["unix:\(folder.path)/socket"], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error?.code == ETIMEDOUT)
        withExtendedLifetime((listener, waiting)) {}
    }

    @Test func `one that takes the connection and says nothing is given up`() throws {
        let (listener, name) = try socket()
        try #require(call({ bind($0, $1, $2) }, listener.raw, name) == 0 && listen(listener.raw, 8) == 0)
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["unix:\(folder.path)/socket"], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error?.code == ETIMEDOUT)
        withExtendedLifetime(listener) {}
    }

    @Test func `one that listens everywhere is asked by IPv4 where IPv6 leads nowhere`() throws {
        let server = try LyingServer("")
        defer { server.close() }
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["[::]:\(server.port)"], timeout: 1).send("GET", "/health/ready")
        }
        // It takes the connection, and says nothing.
        #expect(error?.code == ETIMEDOUT)
    }

    @Test func `of several addresses the first that takes a connection is asked`() throws {
        let server = try LyingServer("")
        defer { server.close() }
        let reachable = "127.0.0.1:\(server.port)"
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["unix:\(folder.path)/none", reachable], timeout: 1).send(
                "POST", "/admin/reload")
        }
        // It takes the connection, and says nothing.
        #expect(error?.code == ETIMEDOUT && error?.call.hasPrefix(reachable) == true)
    }

    @Test func `where no address takes a connection, the first one's reason is told`() {
        let first = "unix:\(folder.path)/none"
        let error = #expect(throws: SystemError.self) {
            try DaemonClient([first, "unix:\(folder.path)"], timeout: 1).send("POST", "/admin/reload")
        }
        #expect(error?.code == ENOENT && error?.call.hasPrefix("\(first):") == true)
    }
}
