// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("What an origin sends in excess is no other picture", .endToEnd, .timeLimit(.minutes(5)))
struct ExcessBytesTests {
    /// How much too late the excess comes, in milliseconds, and what it is.
    struct Excess: Sendable, CustomStringConvertible {
        let delay: UInt32
        let isResponse: Bool

        var description: String { "\(isResponse ? "a response" : "garbage") after \(delay) ms" }

        static let all = [0, 1, 20, 200].flatMap { delay in
            [true, false].map { Excess(delay: delay, isResponse: $0) }
        }
    }

    private static let wrong = Pictures.gradient(99, 33)

    private static func head(_ body: [UInt8]) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=9999\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
    }

    /// Each picture is as wide as its target says; every third answer is followed by the excess.
    /// - Parameter sent: signalled with each excess that the daemon has.
    private func origin(_ excess: Excess, _ sent: Latch = Latch()) -> ScriptedOrigin {
        let count = Atomic<Int>(0)
        return ScriptedOrigin { peer in
            let body = Pictures.gradient(Int(peer.target.dropFirst()) ?? 1, 20)
            let isThird = count.add(1, ordering: .relaxed).newValue % 3 == 0
            let rest =
                excess.isResponse ? Array(Self.head(Self.wrong).utf8) + Self.wrong : Array("garbage\r\n".utf8)
            if isThird, excess.delay == 0 {
                peer.send(Array(Self.head(body).utf8) + body + rest)
            } else {
                peer.send(Array(Self.head(body).utf8) + body)
                guard isThird else { return }
                usleep(excess.delay * 1000)
                peer.send(rest)
            }
            guard isThird else { return }
            peer.waitForReceipt()
            sent.signal()
        }
    }

    private static func outOfStep(_ daemon: DaemonUnderTest) throws -> Int {
        try daemon.metric("pictor_origin_connections_out_of_step_total")
    }

    /// The targets whose answers are of another picture, or none at all.
    /// - Parameter sent: with it, the next is asked for once the excess behind an answer is there.
    private func wrong(
        _ targets: Range<Int>, of origin: ScriptedOrigin, _ daemon: DaemonUnderTest, after sent: Latch? = nil
    ) throws -> [Int] {
        try targets.filter { target in
            defer {
                let asked = origin.heads.count
                if let sent, asked % 3 == 0 { #expect(sent.wait(for: asked / 3)) }
            }
            return try daemon.width(of: origin.url("/\(target)")) != target
        }
    }

    @Test(arguments: Excess.all)
    func `with pauses no picture is another's`(excess: Excess) throws {
        let sent = Latch()
        let (origin, daemon) = (origin(excess, sent), try DaemonUnderTest())
        #expect(try wrong(100..<112, of: origin, daemon, after: sent) == [])
        #expect(try Self.outOfStep(daemon) > 0)
        #expect(daemon.logLine(with: "sends more than it announces") != nil)
    }

    /// How soon, `ConnectionStepTests` say by a clock of their own.
    @Test func `without pauses no other's picture is served for long`() throws {
        let daemon = try DaemonUnderTest()
        let origins = Excess.all.map { ($0, origin($0)) }
        for (_, origin) in origins { _ = try wrong(100..<160, of: origin, daemon) }
        for (excess, origin) in origins {
            let areRight = try Patience.until { try wrong(100..<160, of: origin, daemon) == [] }
            #expect(areRight, "\(excess)")
        }
        let areFound = try Patience.until { try Self.outOfStep(daemon) >= origins.count }
        #expect(areFound)
    }

    /// Answers the request behind the first one with a picture in excess, and ends the connection.
    private func endingOrigin(isReset: Bool) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let body = Pictures.gradient(Int(peer.target.dropFirst()) ?? 1, 20)
            peer.send(Array(Self.head(body).utf8) + body)
            guard peer.target == "/100" else { return }
            // The next request is there: what was sent in excess seems to answer it, and nobody reads it.
            peer.waitForInput()
            peer.send(Array(Self.head(Self.wrong).utf8) + Self.wrong)
            if isReset { peer.reset() } else { peer.close() }
        }
    }

    @Test func `the nodes that share a store forget it as well`() throws {
        let (store, redis) = (StoreDouble(), try RedisServer())
        let flags = store.flags + ["--fleet-redis", redis.address, "--fleet-command-timeout", "10s"]
        let nodes = try (0..<2).map { _ in
            try DaemonUnderTest(
                flags, environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
        }
        // As above.
        for _ in 1...10 {
            let origin = endingOrigin(isReset: false)
            _ = try wrong(100..<102, of: origin, nodes[0])
            guard origin.accepted == 1 else { continue }
            let isTold = try Patience.until {
                try nodes[1].metric("pictor_fleet_purges_total", "direction=\"received\"") > 0
            }
            #expect(isTold)
            return
        }
        Issue.record("No two fetches went over one connection.")
    }

    @Test(arguments: [false, true])
    func `an end without a word behind an answer leaves no other's picture behind`(isReset: Bool) throws {
        // A machine that is slow enough lets the answer be unproven for too long, and then the next fetch has a connection of
        // its own.
        for _ in 1...10 {
            let origin = endingOrigin(isReset: isReset)
            let daemon = try DaemonUnderTest()
            let first = try wrong(100..<102, of: origin, daemon)
            guard origin.accepted == 1 else { continue }
            #expect(first == [101])
            let isRight = try Patience.until { try wrong(101..<102, of: origin, daemon) == [] }
            #expect(isRight)
            #expect(try daemon.metric("pictor_origin_answers_forgotten_total") == 1)
            #expect(origin.heads.count == 2)
            return
        }
        Issue.record("No two fetches went over one connection.")
    }

    @Test func `an origin that sends what it says keeps its connection`() throws {
        // A machine that is slow enough lets answers be unproven for too long, and then the next fetch has a connection of its
        // own.
        for _ in 1...5 {
            if try connectionsOfHonestOrigin() <= 7 { return }
        }
        Issue.record("The fetches went over too many connections.")
    }

    /// The connections to an origin that is asked for fifteen pictures, with pauses.
    private func connectionsOfHonestOrigin() throws -> Int {
        let (pauses, hangups) = (Latch(), Latch())
        let origin = ScriptedOrigin { peer in
            peer.picture(Pictures.gradient(Int(peer.target.dropFirst()) ?? 1, 20))
            guard ["/104", "/109", "/114"].contains(peer.target) else { return }
            // Longer than the silence that proves the connection to be in step.
            if peer.hangsUp(within: 400) { hangups.signal() }
            pauses.signal()
        }
        let daemon = try DaemonUnderTest()
        for round in 0..<3 {
            #expect(try wrong(100 + 5 * round..<105 + 5 * round, of: origin, daemon) == [])
            #expect(pauses.wait(for: round + 1))
        }
        #expect(hangups.count == 0)
        #expect(origin.heads.count == 15)
        #expect(try Self.outOfStep(daemon) == 0)
        #expect(try daemon.metric("pictor_origin_answers_forgotten_total") == 0)
        return origin.accepted
    }
}
