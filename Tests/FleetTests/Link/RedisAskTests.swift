// SPDX-License-Identifier: Apache-2.0

@testable import Fleet
import FleetSupport
import TestSupport
import Testing

@Suite("A Cluster whose slot is moving", .timeLimit(.minutes(2)))
struct RedisAskTests {
    private static let key = "{pictor}:x"

    /// A Cluster in which the slot moves from one server to another, with the documented user.
    private struct Moving {
        let cluster: RedisCluster
        let owner: RedisServer
        let target: RedisServer
        let configuration: RedisConfiguration
        private let places: (owner: Int, target: Int)

        init() throws {
            let user = try DocumentedUser()
            let cluster = try RedisCluster(flags: user.flags)
            let place = try #require(try cluster.owner(of: RedisAskTests.key))
            let next = (place + 1) % 3
            (self.cluster, places) = (cluster, (place, next))
            (owner, target) = (cluster.servers[place], cluster.servers[next])
            var configuration = RedisConfiguration(patient: [cluster.servers[place].address])
            user.logIn(&configuration)
            self.configuration = configuration
        }

        func begin() throws {
            try cluster.begin(movingSlotOf: RedisAskTests.key, from: places.owner, to: places.target)
        }

        func end() throws {
            try cluster.end(movingSlotOf: RedisAskTests.key, from: places.owner, to: places.target)
        }

        func refusals() throws -> [String?] {
            try cluster.servers.map { try DocumentedUser.refusals($0) }
        }
    }

    private func ask(_ link: RedisLink, _ command: RedisCommand) async throws -> RedisReply {
        try await link.send(command, within: .seconds(60), waits: true)
    }

    @Test func `a key that its node has not is asked for at the next one, and the link stays where it is`()
        async throws
    {
        let moving = try Moving()
        let link = try RedisLink(moving.configuration, name: "fleet-test") { _ in }
        try link.start()
        #expect(try await ask(link, ["SET", Self.key, "old"]).string == "OK")
        try moving.begin()
        let sums = try await withThrowingTaskGroup(of: RedisReply.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await link.send(["ZADD", "{pictor}:n", "INCR", "1", "m"], within: .seconds(60))
                }
            }
            return try await group.reduce(into: Set<RedisReply>()) { $0.insert($1) }
        }
        #expect(sums == Set((1...20).map { RedisReply.text(Array("\($0)".utf8)) }))
        #expect(try moving.target.calls(of: "asking") == 20)
        #expect(try await ask(link, ["GET", Self.key]).string == "old")
        #expect(link.connects == 1)
        try moving.end()
        #expect(try await ask(link, ["GET", Self.key]).string == "old")
        #expect(try await ask(link, ["ZCARD", "{pictor}:n"]) == .number(1))
        #expect(link.connects == 2)
        #expect(try moving.refusals() == ["", "", ""])
        link.close()
    }

    @Test func `scripts, blocking reads and purges go on meanwhile`() async throws {
        let moving = try Moving()
        try moving.begin()
        try await FleetWork(configuration: moving.configuration, servers: moving.cluster.servers).run()
        #expect(try moving.refusals() == ["", "", ""])
        #expect(try moving.owner.cli("DBSIZE")?.hasPrefix("0") == true)
    }

    @Test func `the connection to the next node ends once it is not needed, and comes again`() async throws {
        let moving = try Moving()
        try moving.begin()
        var configuration = moving.configuration
        configuration.askedTime = .milliseconds(1)
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        try link.start()
        for _ in 0..<2 {
            #expect(try await ask(link, ["GET", Self.key]) == .none)
            let isGone = try Patience.until {
                try moving.target.cli("CLIENT", "LIST")?.contains("user=\(configuration.user)") == false
            }
            #expect(isGone)
        }
        link.close()
    }

    @Test func `a next node that cannot be reached refuses the command, and the link stays`() async throws {
        let dead = try RedisServer()
        dead.kill()
        let first = try LyingServer { [port = dead.port] piece in
            piece.contains("GET") ? "-ASK 1 127.0.0.1:\(port)\r\n" : "+PONG\r\n"
        }
        defer { first.close() }
        let link = try RedisLink(RedisConfiguration(patient: [first.address]), name: "fleet-test") { _ in }
        try link.start()
        #expect(try await ask(link, ["PING"]).string == "PONG")
        let failure = await #expect(throws: RedisFailure.self) {
            try await link.send(["GET", Self.key], within: .seconds(60))
        }
        guard case .refused(let words) = failure, words.contains("ASK") else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(try await ask(link, ["PING"]).string == "PONG" && link.connects == 1)
        link.close()
    }

    @Test(arguments: [("+OK", "MOVED 1 127.0.0.1:1"), ("-NOPERM no 'asking'", "NOPERM no 'asking'")])
    func `a next node that sends the command on refuses it, by its word for ASKING if it refuses that`(
        asking: String, words: String
    ) async throws {
        let next = try LyingServer { piece in
            if piece.contains("PING") { return "+PONG\r\n" }
            // The name of the command comes after ASKING.
            return piece.contains("GET") ? "\(asking)\r\n-MOVED 1 127.0.0.1:1\r\n" : ""
        }
        let first = try LyingServer { [port = next.port] piece in
            piece.contains("PING") ? "+PONG\r\n" : "-ASK 1 127.0.0.1:\(port)\r\n"
        }
        defer { for server in [first, next] { server.close() } }
        let link = try RedisLink(RedisConfiguration(patient: [first.address]), name: "fleet-test") { _ in }
        try link.start()
        await #expect(throws: RedisFailure.refused(words)) {
            try await ask(link, ["GET", "k"])
        }
        #expect(link.connects == 1)
        link.close()
    }
}

@Suite("Commands on their way through a link")
struct PendingCommandsTests {
    @Test func `ASKING is sent right before each command that needs it, and has a reply of its own`() {
        var commands = PendingCommands()
        for (name, isAsked) in [("A", true), ("B", false), ("C", true)] {
            var pending = PendingCommand(
                command: [name], continuation: nil, deadline: 10, patience: 10, waits: false)
            pending.isAsked = isAsked
            commands.append(pending)
        }
        let words: [RedisCommand] = [["ASKING"], ["A"], ["B"], ["ASKING"], ["C"]]
        let bytes = commands.send(at: 0)
        #expect(bytes == words.flatMap(\.bytes))
        var sent: [RedisCommand] = []
        while let pending = commands.popSent() { sent.append(pending.command) }
        #expect(sent == words)
    }
}
