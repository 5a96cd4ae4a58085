// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Logging
@testable import Origin
import Pipeline
import SourceURLs
import Synchronization
import Testing

@Suite("Answers in doubt are forgotten together, and others are told of so many", .timeLimit(.minutes(1)))
struct DesyncPurgesTests {
    /// Stands for the caches and the other nodes.
    private final class World: Sendable {
        struct State {
            var ticks: Int64 = 0
            var isBroken = false
            var tellingFails = false
            var batches: [Set<OriginalKey>] = []
            var told: [OriginalKey] = []
        }

        let state = Mutex(State())

        var batches: [Set<OriginalKey>] { state.withLock { $0.batches } }
        var told: [OriginalKey] { state.withLock { $0.told } }

        func pass(_ microseconds: Int64) { state.withLock { $0.ticks += microseconds } }
        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

        func purges(hasOthers: Bool = true) -> DesyncPurges {
            DesyncPurges(
                isShared: true, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                ticks: { self.state.withLock { $0.ticks } }, tell: hasOthers ? tell : nil
            ) { (keys) async throws(IndexUnreadable) in
                let isBroken = self.state.withLock { state in
                    state.batches.append(keys)
                    return state.isBroken
                }
                if isBroken { throw IndexUnreadable("broken by the test") }
            }
        }

        @Sendable private func tell(_ key: OriginalKey) async throws {
            let fails = state.withLock { state in
                state.told.append(key)
                return state.tellingFails
            }
            if fails { throw IndexUnreadable("not told, by the test") }
        }
    }

    private let world = World()
    private let unproven = UnprovenAnswers()

    private func keys(_ numbers: Range<Int>) -> Set<OriginalKey> {
        Set(numbers.map { OriginalKey(url: "http://a.example/\($0)") })
    }

    /// Does what the downloader does.
    private func desync(_ numbers: Range<Int>) -> Desync {
        unproven.insert(Array(keys(numbers)))
        let url = SourceURL(scheme: .http, host: "a.example", port: 80, target: "/")
        return Desync(origin: url.origin, isCertain: false, forgotten: keys(numbers))
    }

    @Test func `all that came are forgotten before the end`() async {
        let (desyncs, continuation) = AsyncStream.makeStream(of: Desync.self)
        for number in 0..<10 { continuation.yield(desync(10 * number..<10 * number + 10)) }
        continuation.finish()
        await world.purges().start(desyncs, unproven).value
        #expect(world.batches.reduce(into: Set()) { $0.formUnion($1) } == keys(0..<100))
        #expect(Set(world.told) == keys(0..<100) && world.told.count == 100)
        #expect(!keys(0..<100).contains { unproven.contains($0) })
    }

    @Test func `many are forgotten together`() async {
        let purges = world.purges(hasOthers: false)
        for number in 0..<300 { purges.note(desync(number..<number + 1)) }
        await purges.forgetDue(unproven)
        #expect(world.batches.map(\.count) == [256, 44])
    }

    @Test func `those that cannot be forgotten stay unproven, are tried each ten seconds, and told once`()
        async
    {
        let purges = world.purges()
        world.change { $0.isBroken = true }
        purges.note(desync(0..<2))
        await purges.forgetDue(unproven)
        world.pass(9_999_999)
        await purges.forgetDue(unproven)
        #expect(world.batches.count == 1 && keys(0..<2).allSatisfy(unproven.contains))
        world.pass(1)
        await purges.forgetDue(unproven)
        #expect(world.batches.count == 2 && keys(0..<2).allSatisfy(unproven.contains))
        world.change { $0.isBroken = false }
        world.pass(10_000_000)
        await purges.forgetDue(unproven)
        #expect(world.batches.count == 3 && !keys(0..<2).contains { unproven.contains($0) })
        #expect(world.told.count == 2)
    }

    @Test func `those that others could not be told of are told again`() async {
        let purges = world.purges()
        world.change { $0.tellingFails = true }
        purges.note(desync(0..<1))
        await purges.forgetDue(unproven)
        #expect(keys(0..<1).allSatisfy(unproven.contains))
        world.change { $0.tellingFails = false }
        world.pass(10_000_000)
        await purges.forgetDue(unproven)
        #expect(world.told.count == 2 && !keys(0..<1).contains { unproven.contains($0) })
    }

    @Test func `telling that fails takes nothing of the allowance`() async {
        let purges = world.purges()
        world.change { $0.tellingFails = true }
        purges.note(desync(0..<256))
        await purges.forgetDue(unproven)
        world.change { $0.tellingFails = false }
        world.pass(10_000_000)
        await purges.forgetDue(unproven)
        #expect(world.told.count == 512 && Set(world.told.suffix(256)) == keys(0..<256))
        #expect(!keys(0..<256).contains { unproven.contains($0) })
    }

    @Test func `beyond the allowance they are forgotten here, and others are not told`() async {
        let purges = world.purges()
        purges.note(desync(0..<1_000))
        await purges.forgetDue(unproven)
        #expect(world.told.count == DoubtAllowance.burst)
        #expect(!keys(0..<1_000).contains { unproven.contains($0) })
        world.pass(DoubtAllowance.interval)
        purges.note(desync(1_000..<1_002))
        await purges.forgetDue(unproven)
        #expect(world.told.count == DoubtAllowance.burst + 1)
    }
}

@Suite("Doubts that other nodes are told of")
struct DoubtAllowanceTests {
    @Test func `are 256 at once, and then one each ten seconds`() {
        var allowance = DoubtAllowance()
        #expect(allowance.take(200, at: 5) == 200)
        #expect(allowance.take(200, at: 5) == 56)
        #expect(allowance.take(1, at: 10_000_004) == 0)
        #expect(allowance.take(2, at: 10_000_005) == 1)
        #expect(allowance.take(2, at: 10_000_005) == 0)
        #expect(allowance.take(9, at: 40_000_005) == 3)
    }

    @Test func `are as many as before once some were given back`() {
        var allowance = DoubtAllowance()
        #expect(allowance.take(256, at: 0) == 256)
        allowance.giveBack(2)
        #expect(allowance.take(5, at: 0) == 2)
    }

    @Test func `are no more than 256 after any time`() {
        var allowance = DoubtAllowance()
        #expect(allowance.take(1_000, at: 0) == 256)
        #expect(allowance.take(1_000, at: 1_000_000_000_000) == 256)
        #expect(allowance.take(0, at: 1_000_000_000_000) == 0)
    }
}
