// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import HTTPSemantics
import HTTPServer
import Testing
import TestSupport

@Suite("Until the proxy has spoken, a connection is nobody's", .timeLimit(.minutes(1)))
struct ProxyGreetingTests {
    private static let request = "GET /hit/5 HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func expect(_ configuration: inout HTTPServerConfiguration) {
        configuration.expectsProxyHeader = true
        configuration.clientRule.proxies = TrustedProxies(["127.0.0.1"]) ?? TrustedProxies()
    }

    @Test func `a proxy that says nothing does not hold up the end`() async throws {
        try await withServer(TestHandler(), Self.expect) { server, address in
            let client = try await onThread { try Client(address) }
            #expect(await Patience.eventually { server.counters.open == 1 })
            await server.drain(within: .seconds(600))
            #expect(try await onThread { try client.receiveEnd() }.isEmpty)
        }
    }

    @Test func `requests that wait behind the header are all answered`() async throws {
        try await withServer(TestHandler(), Self.expect) { server, address in
            let lengths = try await onThread {
                let client = try Client(address)
                let request = "GET /hit/5 HTTP/1.1\r\nHost: x\r\n\r\n"
                try client.send(
                    "PROXY UNKNOWN\r\n" + request + request + "GET /hit/7 HTTP/1.1\r\nHost: x\r\n")
                var lengths = [try client.receive().content.count, try client.receive().content.count]
                try client.send("\r\n")
                lengths.append(try client.receive().content.count)
                return lengths
            }
            #expect(lengths == [5, 5, 7])
            #expect(server.counters.withoutProxyHeader == 0)
        }
    }

    @Test func `a fault in it ends the connection and takes no client's share`() async throws {
        try await withServer(
            TestHandler(),
            {
                Self.expect(&$0)
                $0.connectionsPerClient = 1
            }
        ) { server, address in
            for _ in 1...3 {
                let said = try await onThread {
                    let client = try Client(address)
                    try client.send("PROXY TCP4 203.0.113.9 nobody 1 2\r\n" + Self.request)
                    return try client.receiveEnd()
                }
                #expect(said.isEmpty)
            }
            let good = try await onThread {
                let client = try Client(address)
                try client.send("PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n" + Self.request)
                return try client.receive().status
            }
            #expect(good == 200)
            #expect(server.counters.withoutProxyHeader == 3)
            #expect(server.counters.ofOneClient == 0)
        }
    }
}
