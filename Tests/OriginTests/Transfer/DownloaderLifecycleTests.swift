// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import RandomInputs
import SourceURLs
import Synchronization
import TestSupport
import Testing

@testable import Origin

@Suite(.timeLimit(.minutes(2))) struct `The downloader` {
    @Test func `uses a connection again`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        try await withDownloader {
            for _ in 0..<5 { _ = try await $0.fetch(origin.url()) }
            #expect($0.counters.requests == 5 && $0.counters.connections == 1)
        }
        #expect(origin.accepted == 1)
    }

    @Test func `has nothing in doubt after a stop but what it tells of`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let urls = (1...3).map { origin.url("/\($0)") }
        let downloader = try await withDownloader { downloader in
            for url in urls { _ = try await downloader.fetch(url) }
            return downloader
        }
        #expect(origin.accepted == 1)
        for await desync in downloader.desyncs { downloader.unproven.remove(Array(desync.forgotten)) }
        for url in urls { #expect(!downloader.unproven.contains(OriginalKey(url: url.absolute))) }
    }

    /// If much time passes between two fetches, silence proves an answer, so that not each fetch needs a new connection.
    @Test(arguments: [(0, true), (3_600, false)])
    func `leaves a connection whose answers are unproved for so long`(seconds: Int, isLeft: Bool) async throws
    {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        try await withDownloader({ $0.unprovenTime = .seconds(seconds) }) {
            // Otherwise silence would have to prove each answer.
            for _ in 0..<50 { _ = try await $0.fetch(origin.url()) }
        }
        #expect((origin.accepted > 1) == isLeft)
    }

    @Test func `uses a connection again after a small error page`() async throws {
        let origin = ScriptedOrigin { $0.answer("404 Not Found", body: pattern(5000)) }
        try await withDownloader {
            for _ in 0..<3 {
                let reply = try await $0.fetch(origin.url())
                #expect(reply.status == 404)
            }
        }
        #expect(origin.accepted == 1)
    }

    @Test func `connects anew when a kept connection has died`() async throws {
        let origin = ScriptedOrigin {
            $0.answer(body: "abc".utf8)
            $0.close()
        }
        try await withDownloader {
            for _ in 0..<3 {
                let reply = try await $0.fetch(origin.url())
                #expect(reply.payload?.length == 3)
            }
        }
        #expect(origin.accepted == 3)
    }

    /// libcurl repeats such a request only five times in the life of a handle.
    @Test(arguments: [false, true])
    func `connects anew as often as a kept connection has died`(byReset: Bool) async throws {
        let origin = ScriptedOrigin { peer in
            if peer.predecessors == 0 { return peer.answer(body: "abc".utf8) }
            if byReset { peer.reset() } else { peer.close() }
        }
        try await withDownloader {
            for _ in 0..<20 {
                let reply = try await $0.fetch(origin.url())
                #expect(reply.payload?.length == 3)
            }
        }
        #expect(origin.accepted == 20)
    }

    @Test func `carries 64 fetches at once`() async throws {
        let gate = Gate(count: 64)
        let origin = ScriptedOrigin { peer in
            gate.arrive()
            peer.answer(body: Array(peer.target.utf8) + pattern(5000))
        }
        try await withDownloader {
            $0.connectionsPerHost = 64
        } _: { downloader in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let reply = try await downloader.fetch(origin.url("/\(number)"))
                        #expect(try reply.read() == Array("/\(number)".utf8) + pattern(5000))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(origin.accepted == 64)
    }

    @Test func `keeps to its connections per host, and serves those who wait`() async throws {
        // If the first answer came before the second request, one connection would suffice.
        let gate = Gate(count: 2)
        let origin = ScriptedOrigin {
            gate.arrive()
            $0.answer(body: "abc".utf8)
        }
        try await withDownloader {
            $0.connectionsPerHost = 2
        } _: { downloader in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await downloader.fetch(origin.url()) } }
                try await group.waitForAll()
            }
            #expect(downloader.counters.fetches == 20)
        }
        #expect(origin.accepted == 2)
    }

    @Test func `has no room for a fetch that waits for a connection while others keep them all`() async throws
    {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let origin = ScriptedOrigin {
            arrival.yield()
            $0.waitForHangup()
        }
        var impatient = try OriginConfiguration.loopback()
        (impatient.connectionsPerHost, impatient.connectTimeout) = (1, .milliseconds(200))
        try await withDownloader {
            $0.connectionsPerHost = 1
        } _: { [impatient] downloader in
            let first = Task { await downloader.failure(origin.url()) }
            for await _ in arrivals { break }
            // The limit applies to fetches that begin now.
            downloader.replaceConfiguration(with: impatient)
            #expect(await downloader.failure(origin.url()) == .overloaded)
            first.cancel()
            #expect(await first.value == .cancelled)
        }
        #expect(origin.accepted == 1)
    }

    @Test func `refuses more fetches than it may carry`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let origin = ScriptedOrigin {
            arrival.yield()
            $0.waitForHangup()
        }
        try await withDownloader {
            $0.transferLimit = 1
        } _: { downloader in
            let first = Task { await downloader.failure(origin.url()) }
            for await _ in arrivals { break }
            #expect(await downloader.failure(origin.url()) == .overloaded)
            first.cancel()
            #expect(await first.value == .cancelled)
            #expect(downloader.counters.active == 0)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"])
    func `closes the origin's socket when the task is cancelled`(sent: String) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let origin = ScriptedOrigin {
            $0.send(sent)
            arrival.yield()
            $0.waitForHangup()
        }
        try await withDownloader { downloader in
            let fetch = Task { await downloader.failure(origin.url()) }
            for await _ in arrivals { break }
            fetch.cancel()
            #expect(await fetch.value == .cancelled)
            // Ends only when the client hangs up.
            for await _ in origin.hangups { break }
        }
    }

    @Test func `sends nothing for a task that is cancelled already`() async throws {
        let origin = ScriptedOrigin { $0.answer() }
        try await withDownloader { downloader in
            let fetch = Task {
                while !Task.isCancelled { await Task.yield() }
                return await downloader.failure(origin.url())
            }
            fetch.cancel()
            #expect(await fetch.value == .cancelled)
            #expect(downloader.counters.requests == 0)
        }
    }

    @Test func `survives cancellations at any moment`() async throws {
        var random = SeededRandom(for: "DownloaderLifecycle")
        let seed = random.seed
        let origin = ScriptedOrigin { $0.answer(body: pattern(20_000)) }
        try await withDownloader { downloader in
            await withTaskGroup(of: DownloadFailure?.self) { group in
                for _ in 0..<300 {
                    let yields = Int.random(in: 0..<200, using: &random)
                    group.addTask {
                        let fetch = Task { await downloader.failure(origin.url()) }
                        for _ in 0..<yields { await Task.yield() }
                        fetch.cancel()
                        return await fetch.value
                    }
                }
                for await failure in group {
                    #expect(failure == nil || failure == .cancelled || failure == .overloaded, "seed \(seed)")
                }
            }
            #expect(downloader.counters.active == 0)
            let reply = try await downloader.fetch(origin.url())
            #expect(reply.payload?.length == 20_000)
        }
    }

    @Test func `cancels what is under way when it is shut down`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let origin = ScriptedOrigin {
            arrival.yield()
            $0.waitForHangup()
        }
        let downloader = Downloader(try .loopback(), makeFile: temporaryFile, now: wallClock)
        try downloader.start()
        let fetch = Task { await downloader.failure(origin.url()) }
        for await _ in arrivals { break }
        downloader.shutdown()
        #expect(await fetch.value == .cancelled)
        #expect(origin.clientSockets == 0)
        #expect(await downloader.failure(origin.url()) == .cancelled)
        downloader.shutdown()
    }

    @Test func `waits with fetches that come before its start`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let downloader = Downloader(try .loopback(), makeFile: temporaryFile, now: wallClock)
        let fetch = Task { try await downloader.fetch(origin.url()) }
        while downloader.counters.fetches == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        try downloader.start()
        defer { downloader.shutdown() }
        #expect(try await fetch.value.payload?.length == 3)
    }

    @Test func `keeps nothing of 2,000 fetches`() async throws {
        let origin = ScriptedOrigin { peer in
            switch Int(peer.target.dropFirst()).map({ $0 % 5 }) {
            case 0: peer.redirect(to: "/end")
            case 1: peer.answer("404 Not Found")
            case 2:
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
                peer.close()
            default: peer.answer(body: pattern(3000))
            }
        }
        let census = Census()
        weak var sentinel: Sentinel?
        do {
            let held = Sentinel()
            sentinel = held
            let makeFile = { @Sendable () throws(SystemError) -> OwnedDescriptor in
                withExtendedLifetime(held) {}
                let file = try temporaryFile()
                census.add(file)
                return file
            }
            try await withDownloader(makeFile: makeFile) { downloader in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<2000 {
                        if number >= 20 { await group.next() }
                        group.addTask { _ = await downloader.failure(origin.url("/\(number)")) }
                    }
                }
            }
        }
        #expect(census.alive == 0)
        // Each exchange holds the closure that makes its file: none is left.
        #expect(sentinel == nil)
        #expect(census.made == 1600)
        #expect(origin.clientSockets == 0)
    }
}

private final class Sentinel: Sendable {}

/// Weak references to the files made.
private final class Census: Sendable {
    private struct Entry { weak var file: OwnedDescriptor? }
    private let entries = Mutex<[Entry]>([])

    func add(_ file: OwnedDescriptor) { entries.withLock { $0.append(Entry(file: file)) } }
    var made: Int { entries.withLock { $0.count } }
    var alive: Int { entries.withLock { $0.count { $0.file != nil } } }
}

/// Lets nobody pass until `count` have arrived.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let missing: Mutex<Int>

    init(count: Int) { missing = Mutex(count) }

    func arrive() {
        condition.lock()
        defer { condition.unlock() }
        missing.withLock { $0 -= 1 }
        condition.broadcast()
        while missing.withLock({ $0 > 0 }) { condition.wait() }
    }
}
