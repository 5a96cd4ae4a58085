// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A link to a real Redis")
struct RedisLinkTests {
    /// The events that a link has reported.
    final class Events: Sendable {
        let all = Mutex<[RedisEvent]>([])
        var list: [RedisEvent] { all.withLock { $0 } }
    }

    private func link(
        _ addresses: [String], _ events: Events = Events(),
        _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) throws -> RedisLink {
        var configuration = RedisConfiguration(addresses.compactMap(RedisAddress.init))
        // A machine that also builds may be slow.
        configuration.commandTimeout = .seconds(20)
        configuration.connectTimeout = .seconds(20)
        change(&configuration)
        let link = try RedisLink(configuration, name: "fleet-test") { event in
            events.all.withLock { $0.append(event) }
        }
        try link.start()
        return link
    }

    /// Closes the link on a thread that may block.
    private func close(_ link: RedisLink) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                link.close()
                continuation.resume()
            }
        }
    }

    @Test func `commands go by TCP and by a socket, and their replies come back in order`() async throws {
        let redis = try RedisServer()
        for address in [redis.address, redis.socket] {
            let link = try link([address])
            #expect(try await link.send(["SET", "a", "é\r\n b"], waits: true).string == "OK")
            #expect(try await link.send(["GET", "a"]).string == "é\r\n b")
            let sums = await withTaskGroup(of: Int64?.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        if case .number(let sum) = try? await link.send(["INCR", "n"]) { sum } else { nil }
                    }
                }
                return await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
            }
            #expect(sums.count == 200 && !sums.contains(nil))
            await #expect(throws: RedisFailure.self) { try await link.send(["NONSENSE"]) }
            #expect(try await link.send(["PING"]).string == "PONG" && link.connects == 1)
            await close(link)
            await #expect(throws: RedisFailure.closed) { try await link.send(["PING"]) }
        }
    }

    @Test func `without Redis a command fails at once, or waits as long as it wants to`() async throws {
        let redis = try RedisServer()
        redis.kill()
        let events = Events()
        let link = try link([redis.address], events)
        await #expect(throws: RedisFailure.timedOut) {
            try await link.send(["PING"], within: .milliseconds(1), waits: true)
        }
        #expect(Patience.until { events.list.count == 1 })
        do {
            _ = try await link.send(["PING"])
            Issue.record("there is no Redis")
        } catch {
            guard case .away = error else {
                Issue.record("\(error)")
                return
            }
        }
        async let late = link.send(["PING"], within: .seconds(60), waits: true)
        try redis.start()
        #expect(try await late.string == "PONG")
        #expect(events.list.count == 2)
        guard case .away = events.list.first, case .back = events.list.last else {
            Issue.record("\(events.list)")
            return
        }
        await close(link)
    }

    @Test func `a Redis that dies or stands still is left, and found again`() async throws {
        let redis = try RedisServer()
        let events = Events()
        let link = try link([redis.address], events) { $0.commandTimeout = .seconds(3) }
        for round in 1...2 {
            #expect(try await link.send(["PING"], within: .seconds(60), waits: true).string == "PONG")
            if round == 1 { redis.kill() } else { redis.signal(SIGSTOP) }
            // Whether it was sent or not, the command fails, and soon no command is sent any more.
            await #expect(throws: RedisFailure.self) { try await link.send(["PING"]) }
            #expect(Patience.until { !link.isUp })
            if round == 1 { try redis.start() } else { redis.signal(SIGCONT) }
        }
        #expect(try await link.send(["PING"], within: .seconds(60), waits: true).string == "PONG")
        #expect(Patience.until { events.list.count == 4 }, "\(events.list)")
        await close(link)
    }

    @Test func `a connection that Redis closes while it is idle is made again, without a word`() async throws
    {
        let redis = try RedisServer()
        let events = Events()
        let link = try link([redis.address], events) { $0.idleTime = .zero }
        #expect(try await link.send(["PING"], within: .seconds(60), waits: true).string == "PONG")
        for connects in 2...3 {
            try redis.cli("CLIENT", "KILL", "TYPE", "normal")
            #expect(Patience.until { link.connects == connects })
            #expect(try await link.send(["PING"]).string == "PONG")
        }
        #expect(events.list.isEmpty)
        redis.kill()
        #expect(Patience.until { !events.list.isEmpty })
        guard case .away = events.list.first else {
            Issue.record("\(events.list)")
            return
        }
        await close(link)
    }

    @Test func `it logs in, by a password or as a user of an ACL`() async throws {
        let redis = try RedisServer(
            "--requirepass", "secret", "--user", "pictor", "on", ">other", "~*", "+@all")
        for (user, password) in [("", "secret"), ("pictor", "other")] {
            let link = try link([redis.address]) { ($0.user, $0.password) = (user, password) }
            #expect(
                try await link.send(["ACL", "WHOAMI"], within: .seconds(60), waits: true).string
                    == (user.isEmpty ? "default" : user))
            await close(link)
        }
        for (user, password) in [("", ""), ("", "wrong"), ("nobody", "secret")] {
            let events = Events()
            let link = try link([redis.address], events) { ($0.user, $0.password) = (user, password) }
            #expect(Patience.until { !events.list.isEmpty })
            guard case .away(let words) = events.list[0] else {
                Issue.record("\(events.list)")
                return
            }
            #expect(words.contains("NOAUTH") || words.contains("WRONGPASS"), "\(words)")
            #expect(!words.contains("secret"))
            await close(link)
        }
    }

    @Test func `what Redis repeats of a command that it refuses is told nobody`() async throws {
        // This Redis answers AUTH as an unknown command: the error repeats the arguments.
        let redis = try RedisServer("--rename-command", "AUTH", "")
        #expect(try redis.cli("AUTH", "my-secret")?.contains("my-secret") == true)
        let events = Events()
        let link = try link([redis.address], events) { $0.password = "my-secret" }
        #expect(Patience.until { !events.list.isEmpty })
        #expect(events.list.first == .away("127.0.0.1:\(redis.port) refuses AUTH: ERR"))
        #expect(!link.why.contains("secret"))
        await close(link)
    }

    @Test(arguments: [
        ("-WRONGPASS my-secret\r\n", "WRONGPASS"), ("-my-secret\r\n", "an error"), ("-\r\n", "an error"),
        ("-" + String(repeating: "E", count: 1000) + "\r\n", "an error"),
    ])
    func `of a refused login only the code is told`(answer: String, code: String) async throws {
        let liar = try LyingServer(answer)
        let events = Events()
        let link = try link([liar.address], events) { $0.password = "my-secret" }
        #expect(Patience.until { !events.list.isEmpty })
        #expect(events.list.first == .away("127.0.0.1:\(liar.port) refuses AUTH: \(code)"))
        await close(link)
        liar.close()
    }

    @Test func `of an error no more than 200 bytes are kept`() async throws {
        let redis = try RedisServer()
        let link = try link([redis.address])
        let script = "return redis.error_reply('LONG ' .. string.rep('é', 5000))"
        let failure = await #expect(throws: RedisFailure.self) {
            try await link.send(["EVAL", script, "0"], waits: true)
        }
        // The 200th byte is the first of an é.
        #expect(failure == .refused("LONG " + String(repeating: "é", count: 97)))
        await close(link)
    }

    @Test func `a Redis that greets and refuses is not back until it takes a command`() async throws {
        // The replica's master never answers, so the replica never loads a data set.
        let replica = try RedisServer("--replicaof", "127.0.0.1", "1")
        let events = Events()
        let link = try link([replica.address], events) {
            ($0.longestRest, $0.provingTime) = (.milliseconds(20), .seconds(3600))
        }
        for _ in 0..<5 {
            // Each command has a connection of its own, which has greeted.
            do {
                _ = try await link.send(["SET", "k", "v"], within: .seconds(60), waits: true)
                Issue.record("a replica takes nothing")
            } catch {
                guard case .refused(let words) = error, words.hasPrefix("READONLY") else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
        #expect(Patience.until { link.connects > 5 })
        guard events.list.count == 1, case .away = events.list.first else {
            Issue.record("\(events.list)")
            return
        }
        try replica.cli("REPLICAOF", "NO", "ONE")
        #expect(try await link.send(["SET", "k", "v"], within: .seconds(60), waits: true).string == "OK")
        #expect(events.list.count == 2 && events.list.last == .back("127.0.0.1:\(replica.port)"))
        await close(link)
    }

    @Test func `a connection that lasts is back without any command`() async throws {
        let redis = try RedisServer()
        redis.kill()
        let events = Events()
        let link = try link([redis.address], events) { $0.provingTime = .milliseconds(1) }
        #expect(Patience.until { events.list.count == 1 })
        try redis.start()
        #expect(Patience.until { events.list.last == .back("127.0.0.1:\(redis.port)") })
        await close(link)
    }

    @Test func `a connection that does not come about leaves no memory behind`() async throws {
        /// Bytes of the process's writable memory (proc(5), VmData).
        func memory() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let kilobytes = status.firstMatch(of: /VmData:\s+([0-9]+) kB/).flatMap { Int($0.1) }
            return try #require(kilobytes) << 10
        }
        let folder = TemporaryFolder()
        let events = Events()
        // A buffer of 64 KiB for each address would be 512 MiB.
        let before = try memory()
        let link = try link(Array(repeating: "unix:\(folder.path)/none", count: 8192), events)
        // The event comes once all addresses were tried.
        #expect(Patience.until { !events.list.isEmpty })
        #expect(try memory() - before < 384 << 20)
        await close(link)
    }

    @Test func `a database of the address is chosen, and of several addresses the first that answers`()
        async throws
    {
        let (dead, redis) = (try RedisServer(), try RedisServer())
        dead.kill()
        let link = try link([dead.address, "redis://127.0.0.1:\(redis.port)/3"])
        #expect(try await link.send(["SET", "k", "v"], within: .seconds(60), waits: true).string == "OK")
        #expect(try redis.cli("-n", "3", "GET", "k")?.contains("v") == true)
        await close(link)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "*1000000000\r\n", String(repeating: "*1\r\n", count: 9),
        "$99999999999\r\n", "+PONG\r\n+PONG\r\n", "",
    ])
    func `a liar is left, and no command waits for it`(answer: String) async throws {
        let liar = try LyingServer(answer)
        let events = Events()
        let link = try link([liar.address], events) { $0.commandTimeout = .milliseconds(200) }
        #expect(Patience.until { !events.list.isEmpty || link.connects > 0 })
        await #expect(throws: RedisFailure.self) { try await link.send(["PING"]) }
        #expect(Patience.until { !events.list.isEmpty })
        await close(link)
        liar.close()
    }
}
