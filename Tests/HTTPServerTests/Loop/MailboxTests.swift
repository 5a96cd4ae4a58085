// SPDX-License-Identifier: Apache-2.0

@testable import HTTPServer
import Synchronization
import Testing
import TestSupport

@Suite("Letters to a loop", .timeLimit(.minutes(2)))
struct MailboxTests {
    @Test func `who waits for a loop that has ended goes on, whenever the message was posted`() throws {
        let box = try Mailbox()
        let taken = Mutex<[Int]>([])
        func rules(_ number: Int) -> LoopMessage {
            .rules(TestHandler(), HTTPServerConfiguration(listeners: [])) {
                taken.withLock { $0.append(number) }
            }
        }
        box.post(rules(1))
        #expect(taken.withLock(\.self).isEmpty)
        box.close()
        #expect(taken.withLock(\.self) == [1])
        box.post(rules(2))
        #expect(taken.withLock(\.self) == [1, 2])
        box.post(.drain(deadline: 0))
        #expect(box.take().isEmpty)
    }

    @Test func `rules that come while only some loops are left are taken`() async throws {
        let (old, new) = (TestHandler(), TestHandler())
        // Reserved, so that no other process gets the port after a loop has left it.
        let port = try ReservedPort()
        try await withServer(
            old,
            {
                $0.listeners = [.tcp(host: "127.0.0.1", port: port.number)]
                $0.loops = 2
            }
        ) { server, address in
            let client = try await clientAtGate(address)
            try await old.arrived.wait()
            async let drained: Void = server.drain(within: .seconds(60))
            // The loop without a connection ends when it stops listening.
            #expect(try await onThread { Patience.until { (try? Client(address)) == nil } })
            await server.replace(handler: new)
            old.gate.fire()
            #expect(try await onThread { try client.receive() }.text == "GET /gate ")
            client.leave()
            await drained
            await server.replace(handler: new)
        }
        withExtendedLifetime(port) {}
    }
}
