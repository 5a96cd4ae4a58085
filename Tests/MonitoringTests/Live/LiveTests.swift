// SPDX-License-Identifier: Apache-2.0

import Kernel
import Synchronization
import Telemetry
import Testing

@testable import Monitoring

@Suite("What the dashboard lists stays small and tells the most")
struct LiveListTests {
    fileprivate static let secrets = SecretParameters(["token"])

    private func note(
        _ targets: TopTargets, _ target: String, _ times: Int, bytes: Int = 10,
        hiding secrets: SecretParameters = Self.secrets
    ) {
        let text = Array(target.utf8)
        for _ in 0..<times {
            text.withUnsafeBytes { targets.note($0, bytes: bytes, hiding: secrets) }
        }
    }

    @Test func `what is asked for most comes first, with its share`() {
        let targets = TopTargets()
        note(targets, "/seldom", 10)
        note(targets, "/often", 30, bytes: 0)
        #expect(
            targets.top(5) == [
                .init(target: "/often", share: 0.75, byteShare: 0),
                .init(target: "/seldom", share: 0.25, byteShare: 1),
            ])
    }

    @Test func `a crowd of others does not drive out what is asked for often`() {
        let targets = TopTargets()
        for number in 0..<20_000 {
            note(targets, "/once/\(number)", 1)
            // A tenth of all answers, many times the share that a counter needs.
            if number % 10 == 0 { note(targets, "/often", 1) }
        }
        #expect(targets.top(3).contains { $0.target == "/often" })
        #expect(targets.top(1_000).count <= 64)
    }

    @Test func `old counts fade`() {
        let targets = TopTargets()
        note(targets, "/old", 100)
        for _ in 0..<30 { targets.fade(to: 0.9) }
        note(targets, "/new", 20)
        #expect(targets.top(1).first?.target == "/new")
        for _ in 0..<200 { targets.fade(to: 0.9) }
        #expect(targets.top(5).isEmpty)
    }

    @Test func `a parameter that becomes a secret is hidden from then on, though its target is known`() {
        let (targets, errors) = (TopTargets(), RecentErrors())
        for _ in 0..<2 { note(targets, "/img?key=1", 1) }
        note(errors, "/img?key=1", 404)
        #expect(targets.top(5).map(\.target) == ["/img?key=1"])
        #expect(errors.entries.map(\.target) == ["/img?key=1"])
        // Even before the next request.
        let others = SecretParameters(["key"])
        #expect(targets.top(5, hiding: others).isEmpty && errors.entries(hiding: others).isEmpty)
        note(targets, "/img?key=1", 1, hiding: others)
        note(errors, "/img?key=2", 502, hiding: others)
        #expect(
            targets.top(5, hiding: others) == [.init(target: "/img?key=REDACTED", share: 1, byteShare: 1)])
        #expect(errors.entries(hiding: others).map(\.target) == ["/img?key=REDACTED"])
    }

    private func note(
        _ errors: RecentErrors, _ target: String, _ status: Int, time: Int64 = 1_000,
        hiding secrets: SecretParameters = Self.secrets
    ) {
        let (method, target) = (Array("GET".utf8), Array(target.utf8))
        method.withUnsafeBytes { method in
            target.withUnsafeBytes { target in
                errors.note(
                    method: method, target: target, status: status, outcome: "refused", time: time,
                    hiding: secrets)
            }
        }
    }

    @Test func `errors of one target are one entry, and the last comes first`() {
        let errors = RecentErrors()
        note(errors, "/a", 404)
        note(errors, "/b", 404)
        note(errors, "/a", 404, time: 2_000)
        note(errors, "/a", 502, time: 3_000)
        #expect(errors.entries.map(\.target) == ["/a", "/a", "/b"])
        #expect(errors.entries.map(\.status) == [502, 404, 404])
        #expect(errors.entries.map(\.count) == [1, 2, 1])
        #expect(errors.entries[1].time == 2_000)
    }

    @Test func `a secret is not shown, and targets that differ in it alone are one`() {
        let (targets, errors) = (TopTargets(), RecentErrors())
        for token in ["first", "second"] {
            note(targets, "/img?token=\(token)&w=8", 2)
            note(errors, "/img?token=\(token)&w=8", 403)
        }
        #expect(targets.top(5).map(\.target) == ["/img?token=REDACTED&w=8"])
        #expect(errors.entries.map(\.target) == ["/img?token=REDACTED&w=8"] && errors.entries[0].count == 2)
        // The "@" is within the part that is cut off.
        let long = "/img?url=https://user:" + String(repeating: "hush", count: 1_000) + "@host/a"
        note(targets, long, 9)
        note(errors, long, 400)
        #expect(targets.top(1).map(\.target) == ["/img?url=https://REDACTED@host/a"])
        #expect(errors.entries.first?.target == "/img?url=https://REDACTED@host/a")
    }

    @Test func `a flood of errors takes a bounded place, in each second and in all`() {
        let errors = RecentErrors()
        for number in 0..<1_000 { note(errors, "/\(number)", 404) }
        #expect(errors.entries.count == 20)
        for number in 0..<1_000 { note(errors, "/\(number)", 404, time: Int64(number) * 1_000) }
        #expect(errors.entries.count == 50)
        #expect(errors.entries.first?.target == "/999")
        note(errors, "/" + String(repeating: "x", count: 9_000), 404, time: 2_000_000)
        #expect(errors.entries.first?.target.utf8.count == 1_024)
    }
}

@Suite("Each who looks on gets the newest event, made once", .timeLimit(.minutes(1)))
struct LiveBroadcastTests {
    private static func event(_ number: UInt64) -> ImmutableBytes { ImmutableBytes("\(number)".utf8) }
    private static func text(_ bytes: ImmutableBytes?) -> String? {
        bytes.map { String(decoding: $0.buffer, as: UTF8.self) }
    }

    @Test func `an event reaches all who wait, as the same bytes`() async throws {
        let broadcast = LiveBroadcast(limit: 10)
        let readers = try (0..<10).map { _ in try #require(broadcast.reader()) }
        #expect(broadcast.reader() == nil, "there are enough")
        let events = await withTaskGroup(of: ImmutableBytes?.self) { group in
            for reader in readers { group.addTask { await reader.next() } }
            broadcast.publish(Self.event)
            return await group.reduce(into: [ImmutableBytes?]()) { $0.append($1) }
        }
        #expect(events.allSatisfy { Self.text($0) == "1" })
        #expect(Set(events.map { $0.map(ObjectIdentifier.init) }).count == 1)
    }

    @Test func `who is slow misses events, and does not get one twice`() async throws {
        let broadcast = LiveBroadcast(limit: 1)
        let reader = try #require(broadcast.reader())
        for _ in 1...5 { broadcast.publish(Self.event) }
        #expect(Self.text(await reader.next()) == "5")
        async let next = reader.next()
        broadcast.publish(Self.event)
        #expect(Self.text(await next) == "6")
    }

    @Test func `who is cancelled gets nothing, and gives the place back`() async throws {
        let broadcast = LiveBroadcast(limit: 1)
        for _ in 0..<200 {
            let task = Task { [reader = try #require(broadcast.reader())] in await reader.next() }
            task.cancel()
            #expect(await task.value == nil)
            while broadcast.readers > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `what was put up before somebody came is not for him`() async throws {
        let broadcast = LiveBroadcast(limit: 2)
        let first = try #require(broadcast.reader())
        broadcast.publish(Self.event)
        let second = try #require(broadcast.reader())
        broadcast.publish(Self.event)
        #expect(Self.text(await first.next()) == "2")
        #expect(Self.text(await second.next()) == "2")
    }
}

extension TopTargets {
    fileprivate func top(_ count: Int) -> [Entry] { top(count, hiding: LiveListTests.secrets) }
}

extension RecentErrors {
    fileprivate var entries: [Entry] { entries(hiding: LiveListTests.secrets) }
}
