// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

/// The state alone, one interleaving a test, drawn in two columns before it is run. Keys and waiters are names.
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
