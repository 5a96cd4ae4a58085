// SPDX-License-Identifier: Apache-2.0

import Foundation
import RandomInputs
import Synchronization
import TestSupport
import Testing

/// What is kept is small, so that every round evicts and writes, and kills fall into all of it.
@Suite("A daemon that is killed under load loses time and nothing else", .endToEnd)
struct CrashRecoveryTests {
    private static let originals = 24
    private static let options = ["w=20", "w=40&output=jpg", "w=80&output=webp"]

    /// PICTOR_TEST_KILLS chooses another number of kills, PICTOR_TEST_SEED repeats what is asked for, and how many answers come
    /// before a kill.
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["PICTOR_TEST_KILLS"].flatMap { Int($0) } ?? 30

    /// 32 to 36 KB each: 24 of them do not fit into half of 1 MiB.
    private static let pictures = (0..<originals).map {
        Pictures.gradient(120, 90 + $0 % 8, hue: UInt8($0 * 10))
    }

    private let origin = ScriptedOrigin { peer in
        let index = Int(peer.target.dropFirst()) ?? 0
        guard !peer.has("If-None-Match: \"\(index)\"") else {
            return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
        }
        // A third has to be asked about every time.
        peer.picture(pictures[index], maxAge: index % 3 == 0 ? 0 : 3600, fields: ["ETag: \"\(index)\""])
    }

    private var targets: [String] {
        (0..<Self.originals).flatMap { index in
            Self.options.map { DaemonUnderTest.target(origin.url("/\(index)"), $0) }
        }
    }

    @Test func `it serves after every restart, no wrong picture leaves, and files and index agree`() throws {
        let seed = Self.environment["PICTOR_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)
        print("PICTOR_TEST_SEED=\(seed) PICTOR_TEST_KILLS=\(Self.kills)")
        var chance = SeededRandom(seed: seed)
        let known = try knownGood()
        let cache = TemporaryFolder()
        let flags = [
            "--cache-disk", "1MiB", "--cache-memory", "64KiB", "--cache-stale-while-revalidate", "0s",
            "--log-access", "false",
        ]
        var served = 0
        for _ in 0..<Self.kills {
            let daemon = try DaemonUnderTest(flags, cache: cache)
            let written = Self.lastWrite(of: cache)
            let load = Load(on: daemon.port, of: known, seed: chance.next())
            // Half of them early; the others while the index is written, a second from the start, or after that.
            if chance.next() % 2 == 0 { #expect(Patience.until { Self.lastWrite(of: cache) != written }) }
            load.waitForAnswers(1 + Int(chance.next() % 1_000))
            served += load.end { daemon.kill() }
            #expect(load.mistakes.isEmpty, "\(load.mistakes.first ?? "")")
        }
        print("\(served) answers between \(Self.kills) kills")

        let daemon = try DaemonUnderTest(flags, cache: cache)
        print(try #require(daemon.logLine(with: "cache swept")))
        for (target, body) in known { #expect(try daemon.get(target).body == body, "\(target)") }
        #expect(try daemon.metric("pictor_disk_damaged_total") == 0)
        #expect(daemon.stop() == 0)
        let index = try CacheIndex(cache)
        for folder in ["originals", "renditions"] {
            let files = Set(cache.files(in: folder).map { String($0.suffix(64)) })
            let rows = try index.names(in: folder)
            #expect(files == rows, "\(folder)")
            #expect(!rows.isEmpty)
        }
        #expect(cache.files(in: "incoming").isEmpty)
    }

    /// When the index was written to.
    private static func lastWrite(of cache: TemporaryFolder) -> Date? {
        let log = try? FileManager.default.attributesOfItem(atPath: "\(cache.path)/index.sqlite-wal")
        return log?[.modificationDate] as? Date
    }

    /// Each target's picture, from a daemon that nobody disturbs.
    private func knownGood() throws -> [String: [UInt8]] {
        let daemon = try DaemonUnderTest()
        return try targets.reduce(into: [:]) { known, target in
            let reply = try daemon.get(target)
            #expect(reply.status == 200)
            known[target] = reply.body
        }
    }
}

/// Three clients that ask for one picture after another until the daemon is gone.
///
/// **Isolation:** a `Mutex`.
private final class Load: Sendable {
    private struct Tally {
        var served = 0
        var mistakes: [String] = []
    }

    private static let clients = 3

    private let tally = Mutex(Tally())
    private let isOver = Atomic<Bool>(false)
    private let answers = Latch()
    private let ended = Latch()

    init(on port: UInt16, of known: [String: [UInt8]], seed: UInt64) {
        let targets = known.keys.sorted()
        for client in 0..<Self.clients {
            Thread.detachNewThread { [self] in
                var chance = SeededRandom(seed: seed &+ UInt64(client))
                var connection: Connection?
                while !isOver.load(ordering: .relaxed) {
                    let target = targets[Int(chance.next() % UInt64(targets.count))]
                    // A connection that breaks is the daemon's death, and an answer cut short is none.
                    do {
                        if connection == nil { connection = try Connection(port: port) }
                        try connection?.request(target)
                        guard let reply = try connection?.reply() else { break }
                        judge(reply, of: target, known)
                    } catch {
                        connection = nil
                        if isOver.load(ordering: .relaxed) || (try? Connection(port: port)) == nil { break }
                    }
                }
                ended.signal()
            }
        }
    }

    private func judge(_ reply: Connection.Reply, of target: String, _ known: [String: [UInt8]]) {
        tally.withLock { tally in
            tally.served += 1
            if reply.status != 200 {
                tally.mistakes.append("\(target): \(reply.status) \(reply.text)")
            } else if reply.body != known[target] {
                tally.mistakes.append(
                    "\(target): \(reply.body.count) bytes, not \(known[target]?.count ?? 0)")
            }
        }
        answers.signal()
    }

    var mistakes: [String] { tally.withLock { $0.mistakes } }

    /// Until so many more have come.
    func waitForAnswers(_ number: Int) { #expect(answers.wait(for: answers.count + number)) }

    /// Answers served in all, until the daemon is killed by this.
    func end(_ kill: () -> Void) -> Int {
        // Told before: its port may be another program's as soon as it is dead.
        isOver.store(true, ordering: .relaxed)
        kill()
        ended.wait(for: Self.clients)
        return tally.withLock { $0.served }
    }
}
