// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@Suite("What a client has spent is told once, soon, and in few words")
struct SpendingLedgerTests {
    private static func key(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    @Test func `a share is told at once, and less after a while`() {
        var ledger = SpendingLedger(most: 8, share: 3, age: 1000)
        ledger.note(Self.key(1), at: 0)
        ledger.note(Self.key(2), at: 10)
        ledger.note(Self.key(1), at: 20)
        #expect(ledger.due(at: 20, limit: 8).isEmpty)
        ledger.note(Self.key(1), at: 30)
        #expect(ledger.due(at: 30, limit: 8) == [.init(client: Self.key(1), count: 3)])
        #expect(ledger.due(at: 1009, limit: 8).isEmpty)
        #expect(ledger.due(at: 1010, limit: 8) == [.init(client: Self.key(2), count: 1)])
        #expect(ledger.due(at: 1_000_000, limit: 8).isEmpty)
    }

    @Test func `what finds no room is not told, and what is told makes room`() {
        var ledger = SpendingLedger(most: 2, share: 1, age: 1000)
        for number in 1...3 { ledger.note(Self.key(UInt32(number)), at: 0) }
        let told = ledger.due(at: 0, limit: 1) + ledger.due(at: 0, limit: 8)
        #expect(Set(told.map(\.client)) == [Self.key(1), Self.key(2)] && told.count == 2)
        ledger.note(Self.key(3), at: 0)
        #expect(ledger.due(at: 0, limit: 8) == [.init(client: Self.key(3), count: 1)])
    }

    @Test func `a client's bytes are its own`() {
        let network = ClientKey(.v6(0x2001_0DB8_0000_0001, 7), prefix: 64)
        #expect(network.bytes == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] + Array(repeating: 0, count: 8))
        #expect(Self.key(1).bytes != Self.key(2).bytes && Self.key(1).bytes.count == 16)
    }
}
