// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@testable import Pipeline

/// What one client meets alone is held against an origin for that client, and what several meet for all.
struct OriginRecordTests {
    private struct Ward {
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
        var ward = Ward()
        for url in 1...10_000 { ward.hear(.failed(url: url), stranger) }
        #expect(!ward.isOpen(for: stranger))
        #expect(ward.isOpen(for: visitor) && ward.isOpen(for: nil))
        #expect(ward.record.restingClients == 1 && ward.record.all.state == .closed)
    }

    @Test func `where all requests are of one client, a dead origin is left alone as soon as ever`() {
        var ward = Ward()
        for url in 1...9 { #expect(ward.hear(.failed(url: url), nil) == nil) }
        let change = ward.hear(.failed(url: 10), nil)
        #expect(change?.0 == .rests(for: 500_000) && change?.isForOneClient == true)
        #expect(!ward.isOpen(for: nil))
    }

    @Test func `three clients whose URLs fail in a row are all`() {
        var ward = Ward()
        for url in 1...4 { ward.hear(.failed(url: url), stranger) }
        for url in 5...8 { ward.hear(.failed(url: url), visitor) }
        ward.hear(.failed(url: 9), other)
        #expect(ward.isOpen(for: other))
        let change = ward.hear(.failed(url: 10), other)
        #expect(change?.0 == .rests(for: 500_000) && change?.isForOneClient == false)
        for client in [stranger, visitor, other, nil] { #expect(!ward.isOpen(for: client)) }
    }

    @Test(arguments: 1...12)
    func `fewer than three clients shut an origin to nobody else, however few failures are enough`(
        failures: Int
    ) {
        var ward = Ward(failures: failures)
        for url in 1...100 { ward.hear(.failed(url: url), stranger) }
        for url in 101...200 { ward.hear(.failed(url: url), visitor) }
        #expect(!ward.isOpen(for: stranger) && !ward.isOpen(for: visitor))
        #expect(ward.isOpen(for: other) && ward.record.all.state == .closed)
        // What has failed for others is no failure of a third client's own.
        ward.hear(.failed(url: 1), other)
        #expect(ward.record.all.state == .closed)
        var changes: [Bool] = []
        for url in 201...204 where ward.record.all.state == .closed {
            if let change = ward.hear(.failed(url: url), other) { changes.append(change.isForOneClient) }
        }
        #expect(changes.last == false && !ward.isOpen(for: nil))
    }

    @Test(arguments: [1, 2, 4])
    func `few failures are enough where nobody can be reached, and for a client alone`(failures: Int) {
        var ward = Ward(failures: failures)
        for url in 1..<failures { #expect(ward.hear(.failed(url: url), nil) == nil) }
        let change = ward.hear(.failed(url: failures), nil)
        #expect(change?.isForOneClient == true && !ward.isOpen(for: nil) && ward.isOpen(for: other))
        var dead = Ward(failures: failures)
        for _ in 0..<failures { dead.hear(.down, stranger) }
        #expect(!dead.isOpen(for: other))
    }

    @Test func `a success of anybody ends everybody's row`() {
        var ward = Ward(failures: 3)
        for round in 0..<50 {
            ward.hear(.failed(url: 2 * round), stranger)
            ward.hear(.failed(url: 2 * round + 1), stranger)
            ward.hear(.well, visitor)
            #expect(ward.record.isWell)
        }
    }

    @Test
    func
        `what a client asked for after another's rest began ends that rest, and what it asked before does not`()
    {
        var ward = Ward(failures: 3)
        #expect(ward.enter(visitor) == .asks)
        let early = ward.lastNumber
        for url in 1...3 { ward.hear(.failed(url: url), stranger) }
        #expect(ward.hear(.well, visitor, from: early) == nil)
        #expect(!ward.isOpen(for: stranger))
        #expect(ward.enter(visitor) == .asks)
        #expect(ward.hear(.well, visitor, from: ward.lastNumber)?.0 == .recovered)
        #expect(ward.isOpen(for: stranger) && ward.record.isWell)
    }

    @Test func `that it cannot be connected to is for all, whoever found out`() {
        var ward = Ward()
        for _ in 1...10 { ward.hear(.down, stranger) }
        #expect(!ward.isOpen(for: visitor) && ward.record.each.isEmpty)
        ward.now = 500_000
        #expect(ward.enter(visitor) == .probes)
        #expect(ward.hear(.well, visitor, from: ward.lastNumber)?.0 == .recovered)
        #expect(ward.record.isWell)
    }

    @Test func `a client's own probe opens it to the client again`() {
        var lone = Ward(failures: 3)
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
