// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import TestSupport
import Testing

@testable import Operator

@Suite("What commands wait for of a daemon", .timeLimit(.minutes(1)))
struct DaemonClientTests {
    private let folder = TemporaryFolder()

    /// A unix socket in the file system.
    private func socket() throws -> (descriptor: OwnedDescriptor, name: UnixSocketName) {
        let name = try #require(UnixSocketName(path: "\(folder.path)/socket"))
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return (OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, kind, 0)), name)
    }

    @Test func `one that stands still, and whose queue is full, is given up`() throws {
        let (listener, name) = try socket()
        try #require(name.withAddress({ bind(listener.raw, $0, $1) }) == 0 && listen(listener.raw, 0) == 0)
        var waiting: [OwnedDescriptor] = []
        while true {
            let (client, _) = try socket()
            guard name.withAddress({ connect(client.raw, $0, $1) }) == 0 else { break }
            waiting.append(client)
            try #require(waiting.count < 100)
        }
        // If the client never gives up, the suite's time limit ends the test.
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["unix:\(folder.path)/socket"], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error?.code == ETIMEDOUT)
        withExtendedLifetime((listener, waiting)) {}
    }

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost:1", true), (":8080", true), ("[::1]:8080", true),
        ("unix:/run/a.sock", true), ("nonsense", false), ("127.0.0.1", false), ("127.0.0.1:0", false),
        ("127.0.0.1:65536", false), ("127.0.0.1:+80", false), ("::1:8080", false), ("[]:8080", false),
        ("http://127.0.0.1:8080", false), ("http://host", false), ("unix:", false), ("", false),
    ])
    func `an address to connect to has a host and a port, or a path`(text: String, isOne: Bool) {
        #expect(DaemonClient.isAddress(text) == isOne)
    }

    @Test func `one that takes the connection and says nothing is given up`() throws {
        let (listener, name) = try socket()
        try #require(name.withAddress({ bind(listener.raw, $0, $1) }) == 0 && listen(listener.raw, 8) == 0)
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["unix:\(folder.path)/socket"], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error?.code == ETIMEDOUT)
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: [("unix:", EINVAL), ("unix:/" + String(repeating: "a", count: 107), ENAMETOOLONG)])
    func `a path that no socket has is told as such`(address: String, code: Int32) {
        let error = #expect(throws: SystemError.self) {
            try DaemonClient([address], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error == SystemError("\(address): address", code: code))
    }

    @Test func `an address that cannot be looked up is told in the resolver's words`() {
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["[fe80::1%no-such]:80"], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error?.description == "[fe80::1%no-such]:80: getaddrinfo: Name or service not known")
    }

    @Test(arguments: ["127.0.0.1:no-port", "::1:8080", "127.0.0.1:+80"])
    func `what is no address is not looked up`(text: String) {
        let error = #expect(throws: SystemError.self) {
            try DaemonClient([text], timeout: 1).send("GET", "/health/ready")
        }
        #expect(error == SystemError("\(text): address", code: EINVAL))
    }

    @Test func `one that listens everywhere is asked by IPv4 where IPv6 leads nowhere`() throws {
        let server = try LyingServer("")
        defer { server.close() }
        let error = #expect(throws: SystemError.self) {
            try DaemonClient(["[::]:\(server.port)"], timeout: 1).send("GET", "/health/ready")
        }
        // The server accepts the connection but never answers.
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
        // The server accepts the connection but never answers.
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
