// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import RandomInputs
import Testing

@Suite("A client has its bucket, and the table its size")
struct RateTableTests {
    private static func key(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    /// Four tokens at once, and one more every 250 ms.
    private static func rate(_ count: Int = 4, _ period: Int64 = 1_000_000) throws -> Rate {
        try #require(Rate(count: count, period: period))
    }

    @Test func `a full bucket is taken at once, and then a token comes back at a time`() throws {
        var table = RateTable(try Self.rate(), capacity: 64)
        let client = Self.key(1)
        for _ in 0..<4 { #expect(table.take(client, hash: 7, at: 0) == 0) }
        #expect(table.take(client, hash: 7, at: 0) == 250_000)
        #expect(table.take(client, hash: 7, at: 249_999) == 1)
        #expect(table.take(client, hash: 7, at: 250_000) == 0)
        #expect(table.take(client, hash: 7, at: 250_000) == 250_000)
        // A refusal costs nothing, and a long rest gives no more than a bucket.
        for _ in 0..<4 { #expect(table.take(client, hash: 7, at: 60_000_000) == 0) }
        #expect(table.take(client, hash: 7, at: 60_000_000) > 0)
    }

    @Test func `what the fleet knows of a bucket counts`() throws {
        var table = RateTable(try Self.rate(), capacity: 64)
        let client = Self.key(1)
        // Three of the four tokens were taken at other nodes.
        table.learn(client, hash: 7, fullAt: 750_000, isExact: false)
        #expect(table.take(client, hash: 7, at: 0) == 0)
        #expect(table.take(client, hash: 7, at: 0) == 250_000)
        // The fleet does not know of the token taken here, so its report cannot make the bucket fuller.
        table.learn(client, hash: 7, fullAt: 250_000, isExact: false)
        #expect(table.take(client, hash: 7, at: 0) == 250_000)
        table.learn(client, hash: 7, fullAt: 250_000, isExact: true)
        for _ in 0..<3 { #expect(table.take(client, hash: 7, at: 0) == 0) }
        #expect(table.take(client, hash: 7, at: 0) == 250_000)
    }

    @Test func `a client whose key is all zeros is one like others`() throws {
        var table = RateTable(try Self.rate(1), capacity: 64)
        let nobody = ClientKey(.v4(0), prefix: 64)
        // Nothing was taken: the only bucket with this key is an unused one.
        table.giveBack(nobody, hash: 7)
        #expect(table.take(nobody, hash: 7, at: 0) == 0)
        #expect(table.take(nobody, hash: 7, at: 0) > 0)
        table.giveBack(nobody, hash: 7)
        #expect(table.take(nobody, hash: 7, at: 0) == 0)
    }

    @Test func `clients of one set do not share a bucket`() throws {
        var table = RateTable(try Self.rate(1), capacity: 64)
        for number in 0..<8 as Range<UInt32> { #expect(table.take(Self.key(number), hash: 7, at: 0) == 0) }
        for number in 0..<8 as Range<UInt32> { #expect(table.take(Self.key(number), hash: 7, at: 0) > 0) }
    }

    @Test func `what was taken for nothing is put back`() throws {
        var table = RateTable(try Self.rate(1), capacity: 64)
        #expect(table.take(Self.key(1), hash: 7, at: 5) == 0)
        table.giveBack(Self.key(1), hash: 7)
        table.giveBack(Self.key(2), hash: 7)
        #expect(table.take(Self.key(1), hash: 7, at: 5) == 0)
        #expect(table.take(Self.key(1), hash: 7, at: 5) > 0)
    }

    @Test func `where all are busy, the least busy is forgotten`() throws {
        var table = RateTable(try Self.rate(), capacity: 8)
        for number in 0..<8 as Range<UInt32> {
            for _ in 0..<(number == 3 ? 1 : 4) { #expect(table.take(Self.key(number), hash: 0, at: 0) == 0) }
        }
        #expect(table.take(Self.key(99), hash: 0, at: 0) == 0)
        for number in [0, 1, 2, 4, 5, 6, 7] as [UInt32] {
            #expect(table.take(Self.key(number), hash: 0, at: 0) > 0, "\(number) is kept in mind")
        }
    }

    @Test func `no client gets more than its rate, whoever else comes`() throws {
        var random = SeededRandom(for: "RateTable")
        for _ in 0..<20 {
            let count = Int.random(in: 1...9, using: &random)
            let rate = try Self.rate(count, Int64.random(in: 1000...900_000, using: &random))
            var table = RateTable(rate, capacity: 1024)
            var granted = [[Int64]](repeating: [], count: 8)
            var now: Int64 = 0
            for _ in 0..<400 {
                now += Int64.random(in: 0...(rate.period / 5), using: &random)
                let number = Int.random(in: 0..<8, using: &random)
                let wait = table.take(Self.key(UInt32(number)), hash: number, at: now)
                if wait == 0 { granted[number].append(now) }
                #expect(wait <= rate.period / Int64(count))
            }
            for times in granted {
                for (index, start) in times.enumerated() {
                    for (further, end) in times[index...].enumerated() {
                        let most = Int64(count) + (end - start) / (rate.period / Int64(count))
                        #expect(Int64(further) < most)
                    }
                }
            }
        }
    }

    @Test func `a rate that no clock can keep is none`() {
        #expect(Rate(count: 0, period: 1_000_000) == nil)
        #expect(Rate(count: -1, period: 1_000_000) == nil)
        #expect(Rate(count: 11, period: 10) == nil)
        #expect(Rate(count: 10, period: 10) != nil)
    }

    @Test func `an IPv6 network is one client, and an IPv4 address is one however it is spelled`() throws {
        func key(_ text: String, _ prefix: Int = 64) throws -> ClientKey {
            ClientKey(try #require(IPAddress(text)), prefix: prefix)
        }
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:1"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("2001:db8:0:1::1", 56) == key("2001:db8:0:ff::1", 56))
        #expect(try key("2001:db8::1", 128) != key("2001:db8::2", 128))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("192.0.2.1", 32) == key("::ffff:192.0.2.1", 96))
    }
}
