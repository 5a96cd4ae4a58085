// SPDX-License-Identifier: Apache-2.0

import Fleet
import Pipeline
import TestSupport
import Testing

/// Two nodes that do once everything that a fleet does with Redis.
struct FleetWork {
    let configuration: RedisConfiguration
    /// The servers to which the commands may go.
    let servers: [RedisServer]

    func run() async throws {
        try await tellNews()
        let links = try (0..<2).map { _ in try RedisLink(configuration, name: "fleet-work") { _ in } }
        for link in links { try link.start() }
        defer { for link in links { link.close() } }
        for link in links { _ = try await link.send(["PING"], within: .seconds(60), waits: true) }
        try await share(leases: links)
        try await share(buckets: links)
        try await share(slots: links)
    }

    private func tellNews() async throws {
        let (a, b) = (try NewsNode(configuration), try NewsNode(configuration))
        for node in [a, b] { #expect(await node.isReady()) }
        #expect(try await a.purge("work") == .told)
        #expect(Patience.until { b.selections == [NewsNode.selection("work")] })
        await a.end()
        await b.end()
    }

    private func calls(of command: String) throws -> Int {
        try servers.reduce(0) { try $0 + $1.calls(of: command) }
    }

    private func share(leases links: [RedisLink]) async throws {
        let (a, b) = (leases(links[0], "a"), leases(links[1], "b"))
        guard case .taken(let token) = await a.take("work", over: nil) else {
            Issue.record("no lease")
            return
        }
        #expect(await b.take("work", over: nil) == .held)
        #expect(await b.holder(of: "work") == "a")
        a.release("work", token: token, leaving: .done)
        var found = RedisLeases.Found.held
        while found == .held {
            try Task.checkCancellation()
            found = await b.take("work", over: nil)
        }
        guard case .done = found, case .taken = await b.take("other", over: nil) else {
            Issue.record("\(found)")
            return
        }
        await b.close()
        #expect(await a.holder(of: "other") == nil)
        try await renew(lease: links[0])
    }

    private func renew(lease link: RedisLink) async throws {
        let short = leases(link, "a", .milliseconds(150))
        let before = try calls(of: "pexpire")
        short.start()
        while try calls(of: "pexpire") == before {
            try Task.checkCancellation()
            // On a slow machine the lease may expire before it is renewed.
            _ = await short.take("renewed", over: nil)
        }
        await short.close()
    }

    private func leases(
        _ link: RedisLink, _ node: String, _ time: Duration = .seconds(600)
    ) -> RedisLeases {
        RedisLeases(link: link, prefix: "pictor", node: node, time: time, patience: .seconds(60))
    }

    private func share(buckets links: [RedisLink]) async throws {
        let hour: Int64 = 3_600_000_000
        for (index, link) in links.enumerated() {
            let buckets = RedisBuckets(link: link, prefix: "pictor", patience: .seconds(60))
            let found = await buckets.take(1, from: "work", interval: hour, whole: hour)
            if index == 0 {
                #expect(found == .taken(fullIn: hour))
            } else if case .empty = found {
            } else {
                Issue.record("\(found)")
            }
            #expect(await buckets.fullIn("work").map { (1...hour).contains($0) } == true)
        }
    }

    private func share(slots links: [RedisLink]) async throws {
        let (a, b) = (slots(links[0]), slots(links[1]))
        guard case .taken(let token) = await a.take("work", most: 1) else {
            Issue.record("no slot")
            return
        }
        #expect(await b.take("work", most: 1) == .full)
        #expect(await b.taken("work") == 1)
        a.release(token)
        while await b.take("work", most: 1) == .full { try Task.checkCancellation() }
        await b.close()
        #expect(await a.taken("work") == 0)
    }

    private func slots(_ link: RedisLink) -> RedisSlots {
        RedisSlots(link: link, prefix: "pictor", time: .seconds(600), patience: .seconds(60))
    }
}
