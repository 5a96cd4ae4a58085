// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

/// The book alone, one interleaving a test, drawn in two columns before it is run. Seats are names.
struct SingleflightStateTests {
    private typealias Book = SingleflightState<String, String>

    private func depart(_ book: inout Book, _ waiter: String) throws -> (Book.Ticket, UInt64, WorkControl) {
        let (ticket, boarding) = book.join("key", waiter: waiter, priority: .interactive)
        guard case .lead(let number, let control) = boarding else { throw Unexpected() }
        return (ticket, number, control)
    }

    private struct Unexpected: Error {}

    //   first waiter        second waiter       work
    //   join → depart
    //                       join → ride
    //                                           complete → both
    @Test func `all who joined see the completion, which comes once`() throws {
        var book = Book()
        let (_, number, control) = try depart(&book, "first")
        let (_, boarding) = book.join("key", waiter: "second", priority: .interactive)
        guard case .joined(let joined) = boarding else { throw Unexpected() }
        #expect(joined === control)
        #expect(book.waiterCount == 2)
        #expect(book.complete("key", number).sorted() == ["first", "second"])
        #expect(book.complete("key", number) == [])
        #expect(book.count == 0)
    }

    //   only waiter         work
    //   join → depart
    //   leave → abandoned
    //                       complete → nobody
    @Test func `the last to leave cancels the work, and its completion finds nobody`() throws {
        var book = Book()
        let (ticket, number, control) = try depart(&book, "only")
        guard case .abandoned("only", let cancelled) = book.leave(ticket) else { throw Unexpected() }
        #expect(cancelled === control)
        #expect(book.complete("key", number) == [])
    }

    //   first waiter        joining closes      second waiter       work
    //   join → depart
    //                       close
    //                                           join → depart
    //                                                               the first completes → first
    //                                                               the second completes → second
    @Test
    func
        `closed to joiners, an in-flight request completes for its own waiters, and who comes later gets another`()
        throws
    {
        var book = Book()
        let (_, number, _) = try depart(&book, "first")
        let (other, _) = book.join("other", waiter: "other", priority: .interactive)
        #expect(book.closeToJoiners { $0 == "key" } == 1)
        #expect(book.closeToJoiners { $0 == "key" } == 0)
        let (_, next, _) = try depart(&book, "second")
        #expect((book.count, book.waiterCount) == (3, 3))
        #expect(book.complete("key", number) == ["first"])
        #expect(book.complete("key", next) == ["second"])
        guard case .abandoned("other", _) = book.leave(other) else { throw Unexpected() }
        #expect(book.count == 0)
    }

    @Test func `where nobody may join any more, the last to leave cancels the work`() throws {
        var book = Book()
        let (first, number, control) = try depart(&book, "first")
        let (second, _) = book.join("key", waiter: "second", priority: .interactive)
        #expect(book.closeToJoiners { _ in true } == 1)
        guard case .freed("first") = book.leave(first) else { throw Unexpected() }
        guard case .nothing = book.leave(first) else { throw Unexpected() }
        guard case .abandoned("second", let cancelled) = book.leave(second) else { throw Unexpected() }
        #expect(cancelled === control)
        #expect(book.complete("key", number) == [])
        #expect(book.count == 0)
    }

    //   only waiter         work
    //   join → depart
    //                       complete → the waiter
    //   leave → nothing
    @Test func `who leaves after the completion changes nothing`() throws {
        var book = Book()
        let (ticket, number, _) = try depart(&book, "only")
        #expect(book.complete("key", number) == ["only"])
        guard case .nothing = book.leave(ticket) else { throw Unexpected() }
    }

    //   first waiter        second waiter       work of the first      work of the second
    //   join → depart
    //   leave → abandoned
    //                       join → depart
    //                                           complete → nobody
    //   leave → nothing
    //                                                                  complete → second
    @Test func `an abandoned in-flight request touches nothing of its successor under the same key`() throws {
        var book = Book()
        let (ticket, first, _) = try depart(&book, "first")
        _ = book.leave(ticket)
        let (_, second, _) = try depart(&book, "second")
        #expect(book.complete("key", first) == [])
        guard case .nothing = book.leave(ticket) else { throw Unexpected() }
        #expect(book.complete("key", second) == ["second"])
    }

    //   first waiter        second waiter       work
    //   join → depart
    //                       join → ride
    //   leave → freed
    //   leave → nothing
    //                                           complete → second
    @Test func `whoever leaves is freed once, and the others fly on`() throws {
        var book = Book()
        let (ticket, number, _) = try depart(&book, "first")
        _ = book.join("key", waiter: "second", priority: .interactive)
        guard case .freed("first") = book.leave(ticket) else { throw Unexpected() }
        guard case .nothing = book.leave(ticket) else { throw Unexpected() }
        #expect(book.complete("key", number) == ["second"])
    }

    //   the daemon           a waiter            work
    //   first waiter        second waiter       work
    //   join → depart
    //                       join → ride
    //   has waited enough
    //                       leave
    //                                           completes → nobody
    @Test
    func
        `an in-flight request that one did not want to wait for goes on when all have left, and is known to be late`()
        throws
    {
        var book = Book()
        let (ticket, number, _) = try depart(&book, "first")
        let (second, _) = book.join("key", waiter: "second", priority: .interactive)
        #expect(!book.isLate("key"))
        #expect(book.goOn(without: ticket) == "first")
        #expect(book.isLate("key"))
        #expect(book.goOn(without: ticket) == nil)
        guard case .nothing = book.leave(ticket) else { throw Unexpected() }
        guard case .freed("second") = book.leave(second) else { throw Unexpected() }
        #expect(book.isInFlight("key"))
        #expect(book.complete("key", number) == [])
        #expect(!book.isLate("key") && book.count == 0)
    }

    //   waiter              joining closes      work
    //   join → depart
    //                       close
    //   has waited enough
    //                                           completes → nobody
    @Test func `so does one that nobody may join any more`() throws {
        var book = Book()
        let (ticket, number, _) = try depart(&book, "only")
        _ = book.closeToJoiners { _ in true }
        #expect(book.goOn(without: ticket) == "only")
        #expect(book.count == 1 && !book.isLate("key"))
        #expect(book.complete("key", number) == [])
        #expect(book.count == 0)
    }

    //   launch
    //   launch → no
    //                       join → ride
    //                       leave → freed
    //                                           complete → nobody
    @Test func `an unattended in-flight request is launched once and outlives its waiters`() throws {
        var book = Book()
        guard let (number, _) = book.launch("key", priority: .refresh) else { throw Unexpected() }
        let again = book.launch("key", priority: .refresh)
        #expect(again == nil)
        let (ticket, _) = book.join("key", waiter: "rider", priority: .interactive)
        guard case .freed("rider") = book.leave(ticket) else { throw Unexpected() }
        #expect(book.count == 1)
        #expect(book.complete("key", number) == [])
        #expect(book.count == 0)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SingleflightTests {
    private typealias Table = Singleflight<Int, String>

    //   the table                        the task
    //   start (before the cancellation)
    //   cancel                           sees that it was cancelled
    //
    //   cancel
    //   start                            never runs
    @Test func `work is cancelled whether the cancellation comes after its start or before`() async throws {
        let gate = Gate()
        let seen = OneShot<Bool>()
        let late = WorkControl(priority: .interactive)
        late.start { seen.settle(await gate.pass()) }
        try await until { gate.held == 1 }
        late.cancel()
        #expect(await seen.value() == false)

        let early = WorkControl(priority: .interactive)
        early.cancel()
        early.start { Issue.record("Cancelled work was started.") }
    }

    /// A thousand times on real threads; work that missed its cancellation would spin into the time limit.
    @Test func `nor does it escape a cancellation that comes at the moment of its start`() async throws {
        let started = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        for _ in 0..<1000 {
            let control = WorkControl(priority: .interactive)
            async let start: Void = control.start {
                started.add(1, ordering: .relaxed)
                while !Task.isCancelled { await Task.yield() }
                finished.add(1, ordering: .relaxed)
            }
            async let cancel: Void = control.cancel()
            _ = await (start, cancel)
        }
        try await until { started.load(ordering: .relaxed) == finished.load(ordering: .relaxed) }
    }

    @Test func `a failed completion is shared, and the next one starts anew`() async throws {
        let table = Table()
        let gate = Gate()
        let flights = Atomic<Int>(0)
        let fly: @Sendable () async -> Result<String, PipelineFailure> = {
            do throws(PipelineFailure) {
                let ride = try await table.join(1, priority: .interactive) {
                    (_) async throws(PipelineFailure) in
                    let number = flights.add(1, ordering: .relaxed).newValue
                    _ = await gate.pass()
                    guard number > 1 else { throw PipelineFailure(.unavailable) }
                    return "completed"
                }
                return .success(ride.value)
            } catch { return .failure(error) }
        }
        let waiters = (0..<5).map { _ in Errand { await fly() } }
        try await until { table.waiting == 5 }
        gate.open()
        for waiter in waiters { #expect(await waiter.value == .failure(PipelineFailure(.unavailable))) }
        #expect(await fly() == .success("completed"))
        #expect(flights.load(ordering: .relaxed) == 2)
    }

    @Test
    func `the in-flight request has the highest priority of all who joined, and keeps it when they leave`()
        async throws
    {
        let table = Table()
        let gate = Gate()
        let priorities = Mutex<[LivePriority]>([])
        let ride: @Sendable (Priority) async throws(PipelineFailure) -> String = { priority in
            try await table.join(1, priority: priority) { (live) async throws(PipelineFailure) in
                priorities.withLock { $0.append(live) }
                _ = await gate.pass()
                return "completed"
            }.value
        }
        let low = Errand { try? await ride(.refresh) }
        try await until { gate.held == 1 }
        let first = priorities.withLock(\.first)
        let live = try #require(first)
        #expect(live.value == .refresh)
        let high = Errand { try? await ride(.interactive) }
        try await until { table.waiting == 2 && live.value == .interactive }
        let middle = Errand { try? await ride(.prefetch) }
        try await until { table.waiting == 3 }
        high.cancel()
        #expect(await high.value == nil)
        #expect(live.value == .interactive)
        gate.open()
        #expect(await low.value == "completed")
        #expect(await middle.value == "completed")
    }

    /// Real threads, a few keys, random leaving; every work yields a random number of times, so joins, leaves and
    /// landings meet in every order. Whoever is left hanging runs into the time limit.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `however joins, leaves and landings interleave, everybody gets exactly one answer`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let table = Table()
        let started = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        var waiters: [(waiter: Errand<Result<String, PipelineFailure>>, key: Int)] = []
        var cancelled = 0
        for _ in 0..<2000 {
            let key = Int.random(in: 0..<4, using: &random)
            let yields = Int.random(in: 0..<20, using: &random)
            let fails = Int.random(in: 0..<10, using: &random) == 0
            let work: Table.Work = { _ async throws(PipelineFailure) in
                started.add(1, ordering: .relaxed)
                defer { finished.add(1, ordering: .relaxed) }
                for _ in 0..<yields {
                    if Task.isCancelled { throw .cancelled }
                    await Task.yield()
                }
                guard !Task.isCancelled else { throw .cancelled }
                if fails { throw PipelineFailure(.unavailable) }
                return "value \(key)"
            }
            let waiter = Errand {
                do throws(PipelineFailure) {
                    return Result<String, PipelineFailure>.success(
                        try await table.join(key, priority: .interactive, work: work).value)
                } catch { return .failure(error) }
            }
            waiters.append((waiter, key))
            if Int.random(in: 0..<3, using: &random) == 0 {
                for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
                waiters[Int.random(in: 0..<waiters.count, using: &random)].waiter.cancel()
                cancelled += 1
            }
        }
        var left = 0
        for (waiter, key) in waiters {
            switch await waiter.value {
            case .success(let value): #expect(value == "value \(key)")
            case .failure(.cancelled):
                // Only who was cancelled itself hears of a cancellation.
                #expect(waiter.isCancelled, "seed \(seed)")
                left += 1
            case .failure(let failure): #expect(failure.reason == .unavailable)
            }
        }
        #expect(left <= cancelled, "seed \(seed)")
        #expect(table.waiting == 0 && table.count == 0, "seed \(seed)")
        try await until { started.load(ordering: .relaxed) == finished.load(ordering: .relaxed) }
    }
}

struct OneShotTests {
    @Test func `the first value stays, whether it comes before the waiter or after`() async {
        let before = OneShot<Int>()
        before.settle(1)
        before.settle(2)
        #expect(await before.value() == 1)

        let after = OneShot<Int>()
        let waiter = Errand { await after.value() }
        await Task.yield()
        after.settle(3)
        after.settle(4)
        #expect(await waiter.value == 3)
    }
}
