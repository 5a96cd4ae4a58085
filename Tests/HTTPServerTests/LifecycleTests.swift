// SPDX-License-Identifier: Apache-2.0

import Clients
import Foundation
import HTTP1
import HTTPServer
import Kernel
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(2)))
struct LifecycleTests {
    @Test func `a client that leaves cancels its task and is told as 499`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server, address in
            let client = try await clientAtGate(address)
            try await handler.arrived.wait()
            client.leave()
            try await handler.cancelled.wait()
            await server.drain(within: .seconds(10))
            let completions = handler.completions.withLock(\.self)
            #expect(completions.map(\.status) == [ExchangeRecord.clientClosedRequest])
            #expect(completions.map(\.tag) == [8], "as the handler says")
        }
    }

    //   client                    server
    //   sends, shuts its side ──▶ starts a task
    //                         ◀── 100
    //                         ◀── the answer
    @Test(arguments: [true, false])
    func `a client that shuts its sending half alone gets its answer`(isOneSegment: Bool) async throws {
        let handler = TestHandler()
        let (listener, address) = try listeningSocket()
        let early = try isOneSegment ? Client(address, halfClosedAfter: Self.request) : nil
        try await withServer(handler, { $0.listeners = [.inherited(descriptor: listener)] }) { _, _ in
            let client = try early ?? Client(address)
            if early == nil {
                try client.send(Self.request)
                try await handler.arrived.wait()
                client.shutDownSending()
            }
            let probe = try await onThread { try client.receive() }
            #expect(probe.status == 100)
            handler.gate.fire()
            let answer = try await onThread { try client.receive() }
            #expect(answer.status == 200 && answer.text == "GET /gate ")
            #expect(try await onThread { try client.receiveEnd() }.isEmpty)
        }
    }

    @Test func `a client that leaves right behind its request cancels its task as well`() async throws {
        let handler = TestHandler()
        let (listener, address) = try listeningSocket()
        try Client(address, halfClosedAfter: Self.request).leave()
        try await withServer(handler, { $0.listeners = [.inherited(descriptor: listener)] }) { _, _ in
            try await handler.cancelled.wait()
        }
        #expect(handler.completions.withLock { $0.map(\.status) } == [ExchangeRecord.clientClosedRequest])
    }

    @Test func `a client of HTTP 1.0 that shuts its side is taken to have left, since none can ask it`()
        async throws
    {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let client = try Client(address)
            try client.send("GET /gate HTTP/1.0\r\n\r\n")
            try await handler.arrived.wait()
            client.shutDownSending()
            try await handler.cancelled.wait()
            #expect(try await onThread { try client.receiveEnd() }.isEmpty)
        }
    }

    private static let request = "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `an address that another server has is refused, although a server's own loops share it`()
        async throws
    {
        try await withServer(TestHandler(), { $0.loops = 2 }) { _, address in
            guard case .tcp(let host, let port) = address else {
                Issue.record("not a TCP address: \(address)")
                return
            }
            var configuration = HTTPServerConfiguration(listeners: [address])
            configuration.loops = 2
            let second = HTTPServer(configuration, handler: TestHandler())
            let taken = ServerError.cannotListen("\(host):\(port)", SystemError("bind", code: EADDRINUSE))
            #expect(throws: taken) { try second.start() }
        }
    }

    @Test func `draining finishes what runs, closes what is idle, and accepts no more`() async throws {
        let handler = TestHandler()
        // Reserved, so that no other process gets the port after the server has left it.
        let port = try ReservedPort()
        try await withServer(handler, { $0.listeners = [.tcp(host: "127.0.0.1", port: port.number)] }) {
            server, address in
            let (idle, busy) = try await onThread {
                let (idle, busy) = try (Client(address), Client(address))
                try idle.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try idle.receive()
                try busy.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
                return (idle, busy)
            }
            try await handler.arrived.wait()
            async let drained: Void = server.drain(within: .seconds(60))
            #expect(try await onThread { try idle.receiveEnd() }.isEmpty)
            await #expect(throws: ClientError.self) { try await onThread { _ = try Client(address) } }
            handler.gate.fire()
            let answer = try await onThread {
                let answer = try busy.receive()
                #expect(try busy.receiveEnd().isEmpty)
                busy.leave()
                return answer
            }
            #expect(answer.text == "GET /gate ")
            #expect(answer.has("Connection: close"))
            await drained
            #expect(server.counters.open == 0)
        }
        withExtendedLifetime(port) {}
    }

    //   client            server
    //   connects          accepts
    //                     drains
    //   sends ──────────▶ answers, Connection: close
    @Test func `a request on its way when a drain begins is answered, on new and on kept connections`()
        async throws
    {
        let port = try ReservedPort()
        try await withServer(
            TestHandler(),
            {
                $0.listeners = [.tcp(host: "127.0.0.1", port: port.number)]
                $0.farewellTimeout = 60_000
            }
        ) { server, address in
            let (new, kept) = try await onThread {
                let (new, kept) = try (Client(address), Client(address))
                try kept.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try kept.receive()
                return (new, kept)
            }
            #expect(await Patience.eventually { server.counters.open == 2 })
            async let drained: Void = server.drain(within: .seconds(60))
            #expect(try await onThread { Patience.until { (try? Client(address)) == nil } })
            for client in [new, kept] {
                let answer = try await onThread {
                    try client.send("GET /hit/2 HTTP/1.1\r\nHost: x\r\n\r\n")
                    let answer = try client.receive()
                    #expect(try client.receiveEnd().isEmpty)
                    client.leave()
                    return answer
                }
                #expect(answer.has("Connection: close"))
            }
            await drained
            #expect(server.counters.open == 0)
        }
        withExtendedLifetime(port) {}
    }

    @Test func `draining cuts off what is not finished in time`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server, address in
            let client = try await clientAtGate(address)
            try await handler.arrived.wait()
            await server.drain(within: .milliseconds(50))
            try await handler.cancelled.wait()
            #expect(try await onThread { try client.receiveEnd() }.isEmpty)
        }
    }

    @Test func `a port that is taken is told at start`() async throws {
        let (taken, address) = try listeningSocket()
        defer { close(taken) }
        let configuration = HTTPServerConfiguration(listeners: [address])
        let server = HTTPServer(configuration, handler: TestHandler())
        #expect(throws: ServerError.self) { try server.start() }
        #expect(throws: ServerError.noListeners) {
            try HTTPServer(HTTPServerConfiguration(listeners: []), handler: TestHandler()).start()
        }
    }

    @Test func `a unix socket is served, replaced and removed`() async throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString.prefix(8)).sock"
        for _ in 0..<2 {
            let server = HTTPServer(
                HTTPServerConfiguration(listeners: [.unix(path: path)]), handler: TestHandler())
            try server.start()
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(server.addresses == [.unix(path: path)])
            await server.drain(within: .zero)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a unix socket that has taken the place of a server's own is left where it is`() async throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString.prefix(8)).sock"
        let configuration = HTTPServerConfiguration(listeners: [.unix(path: path)])
        let first = HTTPServer(configuration, handler: TestHandler())
        try first.start()
        #expect(unlink(path) == 0)
        let second = HTTPServer(configuration, handler: TestHandler())
        try second.start()
        await first.drain(within: .zero)
        #expect(FileManager.default.fileExists(atPath: path))
        await second.drain(within: .zero)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `what was there before and takes no connections is refused, and left as it is`() {
        let descriptors = [
            socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0),
            open("/dev/null", O_RDONLY),
        ]
        defer { for descriptor in descriptors { close(descriptor) } }
        for descriptor in descriptors {
            let configuration = HTTPServerConfiguration(listeners: [.inherited(descriptor: descriptor)])
            #expect(throws: ServerError.uselessSocket("descriptor \(descriptor)")) {
                try HTTPServer(configuration, handler: TestHandler()).start()
            }
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
        }
    }

    /// A socket as a service manager passes it for a proxy on this machine.
    @Test func `a unix socket that was there before is served, and left where it is`() async throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let listens = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                    && listen(descriptor, 128) == 0
            }
        }
        try #require(listens)
        let handler = TestHandler()
        let inherited = ListenAddress.inherited(descriptor: descriptor)
        try await withServer(handler, { $0.listeners = [inherited] }) { _, address in
            #expect(address == inherited)
            let status = try await onThread {
                let client = try TestSupport.Connection(path: path)
                try client.request("/hit/5")
                return try client.reply().status
            }
            #expect(status == 200)
            #expect(await Patience.eventually { handler.peers.withLock { $0 } == [.local] })
        }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `an address that another one of the same trial has taken is an obstacle`() {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString.prefix(8)).sock"
        let address = ListenAddress.unix(path: path)
        let taken = ServerError.cannotListen(path, SystemError("bind", code: EADDRINUSE))
        #expect(HTTPServer.obstacles(to: [address, address]) == [taken])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a unix socket that another server listens at is refused, and a trial leaves it where it is`()
        async throws
    {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString.prefix(8)).sock"
        let address = ListenAddress.unix(path: path)
        let first = HTTPServer(HTTPServerConfiguration(listeners: [address]), handler: TestHandler())
        try first.start()
        let taken = ServerError.cannotListen(path, SystemError("bind", code: EADDRINUSE))
        #expect(HTTPServer.obstacles(to: [address]) == [taken])
        #expect(throws: taken) {
            try HTTPServer(HTTPServerConfiguration(listeners: [address]), handler: TestHandler()).start()
        }
        #expect(FileManager.default.fileExists(atPath: path))
        await first.drain(within: .zero)
        #expect(HTTPServer.obstacles(to: [address]).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
