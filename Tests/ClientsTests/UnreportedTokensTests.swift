// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@Suite("A client's tokens are reported to the fleet once, soon, and in few words")
struct UnreportedTokensTests {
    private static func key(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    @Test func `a share is reported at once, and less after a while`() {
        var tokens = UnreportedTokens(most: 8, share: 3, age: 1000)
        tokens.note(Self.key(1), at: 0)
        tokens.note(Self.key(2), at: 10)
        tokens.note(Self.key(1), at: 20)
        #expect(tokens.due(at: 20, limit: 8).isEmpty)
        tokens.note(Self.key(1), at: 30)
        #expect(tokens.due(at: 30, limit: 8) == [.init(client: Self.key(1), count: 3)])
        #expect(tokens.due(at: 1009, limit: 8).isEmpty)
        #expect(tokens.due(at: 1010, limit: 8) == [.init(client: Self.key(2), count: 1)])
        #expect(tokens.due(at: 1_000_000, limit: 8).isEmpty)
    }

    @Test func `what finds no room is not reported, and what is reported makes room`() {
        var tokens = UnreportedTokens(most: 2, share: 1, age: 1000)
        for number in 1...3 { tokens.note(Self.key(UInt32(number)), at: 0) }
        let reported = tokens.due(at: 0, limit: 1) + tokens.due(at: 0, limit: 8)
        #expect(Set(reported.map(\.client)) == [Self.key(1), Self.key(2)] && reported.count == 2)
        tokens.note(Self.key(3), at: 0)
        #expect(tokens.due(at: 0, limit: 8) == [.init(client: Self.key(3), count: 1)])
    }

    @Test func `a client's bytes are its own`() {
        let network = ClientKey(.v6(0x2001_0DB8_0000_0001, 7), prefix: 64)
        #expect(network.bytes == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] + Array(repeating: 0, count: 8))
        #expect(Self.key(1).bytes != Self.key(2).bytes && Self.key(1).bytes.count == 16)
    }
}
