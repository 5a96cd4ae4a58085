// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import TestSupport
import Testing

@testable import Origin

@Suite struct `Our own listeners` {
    private static func holds(_ listener: String, _ address: String, port: UInt16 = 8080) throws -> Bool {
        let own = OwnListeners()
        own.add(host: listener, port: 8080)
        return own.hold(try #require(IPAddress(address)), port: port)
    }

    @Test func `are told by address and port`() throws {
        #expect(try Self.holds("127.0.0.1", "127.0.0.1"))
        #expect(try Self.holds("127.0.0.1", "::ffff:127.0.0.1"))
        #expect(try Self.holds("2001:db8::1", "2001:db8::1"))
        #expect(try !Self.holds("127.0.0.1", "127.0.0.1", port: 8081))
        #expect(try !Self.holds("127.0.0.1", "127.0.0.2"))
        #expect(try !Self.holds("127.0.0.1", "::1"))
    }

    @Test func `are known behind a translator too`() throws {
        #expect(try Self.holds("192.0.2.7", "64:ff9b::192.0.2.7"))
        #expect(try Self.holds("0.0.0.0", "64:ff9b::127.0.0.1"))
        #expect(try !Self.holds("192.0.2.7", "64:ff9b::192.0.2.8"))
    }

    @Test(arguments: ["0.0.0.0", "::", "a-name"])
    func `on every address are every address of this machine`(listener: String) throws {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try Self.holds(listener, address), "\(address)")
        }
        // Addresses for documentation, which no machine has.
        for address in ["192.0.2.1", "2001:db8::1"] {
            #expect(try !Self.holds(listener, address), "\(address)")
        }
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func `are reached by the unspecified address too`(address: String) throws {
        #expect(try Self.holds("127.0.0.1", address))
    }

    @Test func `are not fetched from, though the policy opens their network`() async throws {
        let listener = ScriptedOrigin { $0.answer(body: "metrics".utf8) }
        try await withDownloader {
            $0.ownListeners.add(host: "127.0.0.1", port: listener.port)
            #expect(await $0.failure(listener.url()) == .refused(by: .ownListener))
            let named = await $0.failure(listener.url(host: "localhost"))
            // libcurl tries the name's addresses in an order of its own; the last refusal is reported.
            #expect(
                named == .refused(by: .ownListener) || named == .refused(by: .address(purpose: "loopback")))
        }
        #expect(listener.accepted == 0)
    }
}
