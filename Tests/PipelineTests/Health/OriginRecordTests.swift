// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@testable import Pipeline

/// Failures that one client alone meets make an origin rest for that client, and failures that several clients meet for all.
struct OriginRecordTests {
    private struct OriginUnderTest {
        var policy = HealthPolicy()
        var record: OriginRecord
        var now: Int64 = 0
        var lastNumber: UInt64 = 0

        init(failures: Int = 10) {
            policy.failures = failures
            record = OriginRecord(policy)
        }

        mutating func enter(_ client: ClientKey?) -> OriginHealth.Entry {
            lastNumber += 1
            return record.enter(lastNumber, for: client, now: now, isWanted: true, policy)
        }

        @discardableResult
        mutating func hear(
            _ signal: HealthSignal, _ client: ClientKey?, from number: UInt64 = 0
        ) -> (OriginHealth.Change, isForOneClient: Bool)? {
            record.hear(
                OriginHealth.News(
                    signal: signal, client: client, number: number, latest: lastNumber, now: now, chance: 0),
                policy)
        }

        func isOpen(for client: ClientKey?) -> Bool {
            record.outlook(for: client, now: now, isWanted: true) == .well
        }
    }

    private let stranger = ClientKey(.v4(1), prefix: 64)
    private let visitor = ClientKey(.v4(2), prefix: 64)
    private let other = ClientKey(.v4(3), prefix: 64)

    @Test func `a stranger whose URLs all fail shuts an origin to himself and to nobody else`() {
        var origin = OriginUnderTest()
        for url in 1...10_000 { origin.hear(.failed(url: url), stranger) }
        #expect(!origin.isOpen(for: stranger))
        #expect(origin.isOpen(for: visitor) && origin.isOpen(for: nil))
        #expect(origin.record.restingClients == 1 && origin.record.all.state == .closed)
    }

    @Test func `where all requests are of one client, a dead origin is left alone as soon as ever`() {
        var origin = OriginUnderTest()
        for url in 1...9 { #expect(origin.hear(.failed(url: url), nil) == nil) }
        let change = origin.hear(.failed(url: 10), nil)
        #expect(change?.0 == .rests(for: 500_000) && change?.isForOneClient == true)
        #expect(!origin.isOpen(for: nil))
    }

    @Test func `three clients whose URLs fail in a row are all`() {
        var origin = OriginUnderTest()
        for url in 1...4 { origin.hear(.failed(url: url), stranger) }
        for url in 5...8 { origin.hear(.failed(url: url), visitor) }
        origin.hear(.failed(url: 9), other)
        #expect(origin.isOpen(for: other))
        let change = origin.hear(.failed(url: 10), other)
        #expect(change?.0 == .rests(for: 500_000) && change?.isForOneClient == false)
        for client in [stranger, visitor, other, nil] { #expect(!origin.isOpen(for: client)) }
    }

    @Test(arguments: 1...12)
    func `fewer than three clients shut an origin to nobody else, however few failures are enough`(
        failures: Int
    ) {
        var origin = OriginUnderTest(failures: failures)
        for url in 1...100 { origin.hear(.failed(url: url), stranger) }
        for url in 101...200 { origin.hear(.failed(url: url), visitor) }
        #expect(!origin.isOpen(for: stranger) && !origin.isOpen(for: visitor))
        #expect(origin.isOpen(for: other) && origin.record.all.state == .closed)
        // A URL that has failed for others is no failure of a third client's own.
        origin.hear(.failed(url: 1), other)
        #expect(origin.record.all.state == .closed)
        var changes: [Bool] = []
        for url in 201...204 where origin.record.all.state == .closed {
            if let change = origin.hear(.failed(url: url), other) { changes.append(change.isForOneClient) }
        }
        #expect(changes.last == false && !origin.isOpen(for: nil))
    }

    @Test(arguments: [1, 2, 4])
    func `few failures are enough where nobody can be reached, and for a client alone`(failures: Int) {
        var origin = OriginUnderTest(failures: failures)
        for url in 1..<failures { #expect(origin.hear(.failed(url: url), nil) == nil) }
        let change = origin.hear(.failed(url: failures), nil)
        #expect(change?.isForOneClient == true && !origin.isOpen(for: nil) && origin.isOpen(for: other))
        var dead = OriginUnderTest(failures: failures)
        for _ in 0..<failures { dead.hear(.down, stranger) }
        #expect(!dead.isOpen(for: other))
    }

    @Test func `a success of anybody ends everybody's row`() {
        var origin = OriginUnderTest(failures: 3)
        for round in 0..<50 {
            origin.hear(.failed(url: 2 * round), stranger)
            origin.hear(.failed(url: 2 * round + 1), stranger)
            origin.hear(.well, visitor)
            #expect(origin.record.isWell)
        }
    }

    @Test
    func
        `what a client asked for after another's rest began ends that rest, and what it asked before does not`()
    {
        var origin = OriginUnderTest(failures: 3)
        #expect(origin.enter(visitor) == .asks)
        let early = origin.lastNumber
        for url in 1...3 { origin.hear(.failed(url: url), stranger) }
        #expect(origin.hear(.well, visitor, from: early) == nil)
        #expect(!origin.isOpen(for: stranger))
        #expect(origin.enter(visitor) == .asks)
        #expect(origin.hear(.well, visitor, from: origin.lastNumber)?.0 == .recovered)
        #expect(origin.isOpen(for: stranger) && origin.record.isWell)
    }

    @Test func `that it cannot be connected to is for all, whoever found out`() {
        var origin = OriginUnderTest()
        for _ in 1...10 { origin.hear(.down, stranger) }
        #expect(!origin.isOpen(for: visitor) && origin.record.each.isEmpty)
        origin.now = 500_000
        #expect(origin.enter(visitor) == .probes)
        #expect(origin.hear(.well, visitor, from: origin.lastNumber)?.0 == .recovered)
        #expect(origin.record.isWell)
    }

    @Test func `a client's own probe opens it to the client again`() {
        var lone = OriginUnderTest(failures: 3)
        for url in 1...3 { lone.hear(.failed(url: url), stranger) }
        lone.now = 500_000
        #expect(lone.enter(stranger) == .probes)
        #expect(
            lone.hear(.failed(url: 4), stranger, from: lone.lastNumber)?.0 == .probeFailed(for: 1_000_000))
        lone.now += 1_000_000
        #expect(lone.enter(stranger) == .probes)
        let change = lone.hear(.well, stranger, from: lone.lastNumber)
        #expect(change?.0 == .recovered && change?.isForOneClient == true)
        #expect(lone.record.isWell)
    }
}
