// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

/// Tests the state alone: one interleaving a test, drawn in columns before it is run. Keys and waiters are names.
struct SingleflightStateTests {
    private typealias State = SingleflightState<String, String>

    private func lead(_ state: inout State, _ waiter: String) throws -> (State.Ticket, UInt64, WorkControl) {
        let (ticket, joining) = state.join("key", waiter: waiter, priority: .interactive)
        guard case .lead(let number, let control) = joining else { throw Unexpected() }
        return (ticket, number, control)
    }

    private struct Unexpected: Error {}

    //   first waiter        second waiter       work
    //   join → lead
    //                       join → follow
    //                                           complete → both
    @Test func `all who joined see the completion, which comes once`() throws {
        var state = State()
        let (_, number, control) = try lead(&state, "first")
        let (_, joining) = state.join("key", waiter: "second", priority: .interactive)
        guard case .joined(let joined) = joining else { throw Unexpected() }
        #expect(joined === control)
        #expect(state.waiterCount == 2)
        #expect(state.complete(number).sorted() == ["first", "second"])
        #expect(state.complete(number) == [])
        #expect(state.count == 0)
    }

    //   only waiter         work
    //   join → lead
    //   leave → abandoned
    //                       complete → nobody
    @Test func `the last to leave cancels the work, and its completion finds nobody`() throws {
        var state = State()
        let (ticket, number, control) = try lead(&state, "only")
        guard case .abandoned("only", let cancelled) = state.leave(ticket) else { throw Unexpected() }
        #expect(cancelled === control)
        #expect(state.complete(number) == [])
    }

    //   first waiter        joining closes      second waiter       work
    //   join → lead
    //                       close
    //                                           join → lead
    //                                                               the first completes → first
    //                                                               the second completes → second
    @Test
    func
        `closed to joiners, an in-flight request completes for its own waiters, and who comes later gets another`()
        throws
    {
        var state = State()
        let (_, number, _) = try lead(&state, "first")
        let (other, _) = state.join("other", waiter: "other", priority: .interactive)
        #expect(state.closeToJoiners { $0 == "key" } == 1)
        #expect(state.closeToJoiners { $0 == "key" } == 0)
        let (_, next, _) = try lead(&state, "second")
        #expect((state.count, state.waiterCount) == (3, 3))
        #expect(state.complete(number) == ["first"])
        #expect(state.complete(next) == ["second"])
        guard case .abandoned("other", _) = state.leave(other) else { throw Unexpected() }
        #expect(state.count == 0)
    }

    @Test func `where nobody may join any more, the last to leave cancels the work`() throws {
        var state = State()
        let (first, number, control) = try lead(&state, "first")
        let (second, _) = state.join("key", waiter: "second", priority: .interactive)
        #expect(state.closeToJoiners { _ in true } == 1)
        guard case .freed("first") = state.leave(first) else { throw Unexpected() }
        guard case .nothing = state.leave(first) else { throw Unexpected() }
        guard case .abandoned("second", let cancelled) = state.leave(second) else { throw Unexpected() }
        #expect(cancelled === control)
        #expect(state.complete(number) == [])
        #expect(state.count == 0)
    }

    //   only waiter         work
    //   join → lead
    //                       complete → the waiter
    //   leave → nothing
    @Test func `who leaves after the completion changes nothing`() throws {
        var state = State()
        let (ticket, number, _) = try lead(&state, "only")
        #expect(state.complete(number) == ["only"])
        guard case .nothing = state.leave(ticket) else { throw Unexpected() }
    }

    //   first waiter        second waiter       work of the first      work of the second
    //   join → lead
    //   leave → abandoned
    //                       join → lead
    //                                           complete → nobody
    //   leave → nothing
    //                                                                  complete → second
    @Test func `an abandoned in-flight request touches nothing of its successor under the same key`() throws {
        var state = State()
        let (ticket, first, _) = try lead(&state, "first")
        _ = state.leave(ticket)
        let (_, second, _) = try lead(&state, "second")
        #expect(state.complete(first) == [])
        guard case .nothing = state.leave(ticket) else { throw Unexpected() }
        #expect(state.complete(second) == ["second"])
    }

    //   first waiter        second waiter       work
    //   join → lead
    //                       join → follow
    //   leave → freed
    //   leave → nothing
    //                                           complete → second
    @Test func `whoever leaves is freed once, and the others go on`() throws {
        var state = State()
        let (ticket, number, _) = try lead(&state, "first")
        _ = state.join("key", waiter: "second", priority: .interactive)
        guard case .freed("first") = state.leave(ticket) else { throw Unexpected() }
        guard case .nothing = state.leave(ticket) else { throw Unexpected() }
        #expect(state.complete(number) == ["second"])
    }

    //   first waiter        second waiter       work
    //   join → lead
    //                       join → follow
    //   has waited enough
    //                       leave
    //                                           completes → nobody
    @Test
    func
        `an in-flight request that one did not want to wait for goes on when all have left, and is known to be late`()
        throws
    {
        var state = State()
        let (ticket, number, _) = try lead(&state, "first")
        let (second, _) = state.join("key", waiter: "second", priority: .interactive)
        #expect(!state.isLate("key"))
        #expect(state.goOn(without: ticket) == "first")
        #expect(state.isLate("key"))
        #expect(state.goOn(without: ticket) == nil)
        guard case .nothing = state.leave(ticket) else { throw Unexpected() }
        guard case .freed("second") = state.leave(second) else { throw Unexpected() }
        #expect(state.isInFlight("key"))
        #expect(state.complete(number) == [])
        #expect(!state.isLate("key") && state.count == 0)
    }

    //   waiter              joining closes      work
    //   join → lead
    //                       close
    //   has waited enough
    //                                           completes → nobody
    @Test func `so does one that nobody may join any more`() throws {
        var state = State()
        let (ticket, number, _) = try lead(&state, "only")
        _ = state.closeToJoiners { _ in true }
        #expect(state.goOn(without: ticket) == "only")
        #expect(state.count == 1 && !state.isLate("key"))
        #expect(state.complete(number) == [])
        #expect(state.count == 0)
    }

    //   the daemon           a waiter            work
    //   launch
    //   launch → no
    //                       join → follow
    //                       leave → freed
    //                                           complete → nobody
    @Test func `an unattended in-flight request is launched once and outlives its waiters`() throws {
        var state = State()
        guard let (number, _) = state.launch("key", priority: .refresh) else { throw Unexpected() }
        let again = state.launch("key", priority: .refresh)
        #expect(again == nil)
        let (ticket, _) = state.join("key", waiter: "follower", priority: .interactive)
        guard case .freed("follower") = state.leave(ticket) else { throw Unexpected() }
        #expect(state.count == 1)
        #expect(state.complete(number) == [])
        #expect(state.count == 0)
    }
}
