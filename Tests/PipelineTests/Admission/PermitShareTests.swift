// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@testable import Pipeline

/// Which clients' fetches get the permits. Times are microseconds; jobs are told apart by their numbers.
struct PermitShareTests {
    private struct Fetches {
        var queue: AdmissionQueue
        var last: UInt64 = 0
        /// Running jobs by number.
        var running: [UInt64: Visit] = [:]
        var waiting: [UInt64: Visit] = [:]

        init(permits: Int = 128, perHost: Int = 32, length: Int = 1024) {
            queue = AdmissionQueue(
                limits: AdmissionLimits(permits: permits, permitsPerGroup: perHost, queueLength: length))
        }

        mutating func arrive(_ visit: Visit, at now: Int64 = 0) {
            last += 1
            waiting[last] = visit
            note(
                queue.arrive(
                    AdmissionQueue.Job(
                        number: last, group: "\(visit.host):80", cost: 0, priority: .interactive,
                        arrived: now,
                        account: PermitAccount(client: visit.client, site: Site(host: visit.host)))))
        }

        mutating func finish(_ number: UInt64, isGood: Bool? = nil, at now: Int64 = 0) {
            running[number] = nil
            note(queue.finish(number, isGood: isGood, now: now))
        }

        private mutating func note(_ actions: [AdmissionQueue.Action]) {
            for case .admit(let number) in actions { running[number] = waiting.removeValue(forKey: number) }
            for case .refuse(let number, _) in actions { waiting[number] = nil }
        }

        func held(where isMeant: (Visit) -> Bool) -> Int { running.values.count(where: isMeant) }
    }

    private struct Visit {
        var client: Asker
        var host: String
    }

    private static func client(_ number: UInt32) -> Asker { Asker(ClientKey(.v4(number), prefix: 64)) }
    private let stranger = client(1)
    private let visitor = client(2)

    @Test func `one client leaves a quarter of the permits to others, whatever it asks for`() {
        var fetches = Fetches()
        for number in 0..<300 {
            fetches.arrive(Visit(client: stranger, host: "\(number % 40).test\(number)"))
        }
        #expect(fetches.running.count == 96)
        for number in 0..<20 { fetches.arrive(Visit(client: visitor, host: "good\(number).test")) }
        #expect(fetches.held { $0.client == visitor } > 15)
    }

    @Test func `so does one domain, whoever asks`() {
        var fetches = Fetches()
        for number in 0..<300 {
            fetches.arrive(Visit(client: Self.client(UInt32(number)), host: "\(number).evil.test"))
        }
        #expect(fetches.held { $0.host.hasSuffix("evil.test") } == 96)
        fetches.arrive(Visit(client: Self.client(5000), host: "good.example"))
        #expect(fetches.held { $0.host == "good.example" } == 1)
    }

    @Test(arguments: [1, 2, 3, 7, 15])
    func `however many take what they can, the next one has a permit at once, or the next that comes free`(
        clients: Int
    ) {
        var fetches = Fetches()
        for number in 0..<300 {
            let client = number % clients
            fetches.arrive(Visit(client: Self.client(UInt32(client)), host: "h\(number).test\(client)"))
        }
        fetches.arrive(Visit(client: Self.client(100), host: "new.example"))
        // Three clients take all but the last eighth, which is for hosts that are known to answer.
        if clients >= 3 {
            #expect(fetches.running.count == 112)
            fetches.finish(fetches.running.keys.min() ?? 0, isGood: false)
        }
        #expect(fetches.held { $0.host == "new.example" } == 1)
    }

    @Test func `a host that has answered well finds permits although all its client may have are taken`() {
        var fetches = Fetches()
        fetches.arrive(Visit(client: stranger, host: "127.0.0.1"))
        fetches.finish(1, isGood: true, at: 100_000)
        for number in 0..<200 { fetches.arrive(Visit(client: stranger, host: "10.0.0.\(number % 4)")) }
        #expect(fetches.running.count == 96)
        for _ in 0..<20 { fetches.arrive(Visit(client: stranger, host: "127.0.0.1"), at: 1_000_000) }
        #expect(fetches.held { $0.host == "127.0.0.1" } == 16)
    }

    @Test func `an answer that took long, or that time has passed over, makes no good name`() {
        for (took, later) in [(3_000_000, 4_000_000), (100_000, 700_000_000)] as [(Int64, Int64)] {
            var fetches = Fetches()
            fetches.arrive(Visit(client: stranger, host: "127.0.0.1"))
            fetches.finish(1, isGood: true, at: took)
            for number in 0..<200 {
                fetches.arrive(Visit(client: stranger, host: "10.0.0.\(number % 4)"), at: later)
            }
            for _ in 0..<20 { fetches.arrive(Visit(client: stranger, host: "127.0.0.1"), at: later) }
            #expect(fetches.held { $0.host == "127.0.0.1" } == 0)
        }
    }

    @Test func `of 1,024 hosts with good answers, the oldest eighth is forgotten for another one`() {
        var shares = PermitShares(permits: 128)
        let account = PermitAccount(client: stranger, site: Site(host: "a.test"))
        func isGood(_ number: Int) -> Bool {
            shares.admits(account, "h\(number)", running: 0, free: 1, now: 2_000)
        }
        for number in 0..<1_024 {
            shares.giveBack(account, "h\(number)", isGood: true, run: 0, now: Int64(number))
        }
        #expect((0..<1_024).allSatisfy(isGood))
        shares.giveBack(account, "h1024", isGood: true, run: 0, now: 1_024)
        let good = (0...1_024).filter(isGood)
        #expect(good == Array((1_025 - good.count)...1_024))
        // The newcomer needs a place, so one more is forgotten.
        #expect(good.count == 1_024 - 1_024 / 8)
    }

    @Test func `who holds fewest comes first, and then who came first`() {
        var fetches = Fetches(permits: 3, perHost: 3)
        for _ in 0..<6 { fetches.arrive(Visit(client: stranger, host: "a.test")) }
        fetches.arrive(Visit(client: visitor, host: "b.test"))
        let first = fetches.running.keys.sorted()[0]
        fetches.finish(first)
        #expect(fetches.held { $0.client == visitor } == 1)
    }

    @Test func `a full queue gives up one of the client who has most in it, and lets one in who has few`() {
        var fetches = Fetches(permits: 1, length: 10)
        for number in 0..<11 { fetches.arrive(Visit(client: stranger, host: "h\(number).test")) }
        #expect(fetches.waiting.count == 10)
        let refused = fetches.queue.refusal(of: .interactive, by: stranger, behind: .init(), now: 0)
        #expect(refused != nil)
        #expect(fetches.queue.refusal(of: .interactive, by: visitor, behind: .init(), now: 0) == nil)
        fetches.arrive(Visit(client: visitor, host: "good.test"))
        #expect(fetches.waiting.count == 10)
        #expect(fetches.waiting.values.contains { $0.client == visitor })
    }

    @Test func `those count as short of permits whose host has few of them`() {
        var fetches = Fetches(permits: 8, perHost: 4)
        for _ in 0..<20 { fetches.arrive(Visit(client: stranger, host: "a.test")) }
        #expect(fetches.queue.shortage == 0)
        for _ in 0..<20 { fetches.arrive(Visit(client: stranger, host: "b.example")) }
        // One client may hold six of the eight permits, three for each free one.
        #expect(fetches.running.count == 6)
        fetches.arrive(Visit(client: stranger, host: "c.example"))
        #expect(fetches.queue.shortage >= 1)
    }

    @Test func `an address stands for its network, and a name for its domain`() {
        #expect(Site(host: "192.0.2.1") == Site(host: "192.0.2.200"))
        #expect(Site(host: "192.0.2.1") != Site(host: "192.0.3.1"))
        #expect(Site(host: "[2001:db8:1:2::3]") == Site(host: "[2001:db8:1:9::1]"))
        #expect(Site(host: "[2001:db8:1:2::3]") != Site(host: "[2001:db8:2:2::3]"))
        #expect(Site(host: "a.b.evil.test") == Site(host: "c.evil.test"))
        #expect(Site(host: "evil.test") == Site(host: "c.evil.test"))
        #expect(Site(host: "good.test") != Site(host: "evil.test"))
        #expect(Site(host: "localhost") == .domain("localhost"))
    }
}
