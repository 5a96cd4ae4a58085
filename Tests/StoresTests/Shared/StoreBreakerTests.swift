// SPDX-License-Identifier: Apache-2.0

@testable import Stores
import Testing

/// A breaker in a class, so that the expectations' macros can change it.
private final class Breaker {
    private var value = StoreBreaker()

    var isClosed: Bool { value.isClosed }
    func wait(at now: Int64) -> Int64 { value.wait(at: now) }
    func enter(at now: Int64) -> Bool { value.enter(at: now) }
    func left(_ sign: StoreBreaker.Sign, at now: Int64, chance: Double) -> Bool {
        value.left(sign, at: now, chance: chance)
    }
}

@Suite("A store that fails is left alone for a while")
struct StoreBreakerTests {
    private static let rest = StoreBreaker.rests.lowerBound

    private static func opened(at now: Int64 = 0, chance: Double = 0) -> Breaker {
        let breaker = Breaker()
        for _ in 0..<StoreBreaker.threshold { _ = breaker.left(.failed, at: now, chance: chance) }
        return breaker
    }

    @Test func `failures open it, and each success takes one of them back`() {
        let breaker = Breaker()
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(.failed, at: 0, chance: 0)) }
        for _ in 0..<100 {
            #expect(breaker.enter(at: 0) && !breaker.left(.answered, at: 0, chance: 0))
            #expect(breaker.enter(at: 0) && !breaker.left(.failed, at: 0, chance: 0))
        }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(.answered, at: 0, chance: 0)) }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(.failed, at: 0, chance: 0)) }
        #expect(breaker.left(.failed, at: 0, chance: 0))
        #expect(!breaker.isClosed && !breaker.enter(at: 0))
    }

    @Test func `one request tries it after the rest, and its success closes it`() {
        let breaker = Self.opened()
        #expect(breaker.wait(at: 0) == Self.rest / 2)
        #expect(!breaker.enter(at: Self.rest / 2 - 1))
        #expect(breaker.enter(at: Self.rest / 2))
        #expect(!breaker.enter(at: Self.rest / 2), "a second one while the first is on its way")
        #expect(breaker.left(.answered, at: Self.rest, chance: 0))
        #expect(breaker.enter(at: Self.rest))
    }

    @Test func `rests grow to the longest, half of each at random`() {
        let breaker = Self.opened(chance: 0.999_999)
        var now = breaker.wait(at: 0)
        #expect((Self.rest * 9 / 10...Self.rest).contains(now))
        var rest = Self.rest
        for _ in 0..<8 {
            #expect(breaker.enter(at: now))
            #expect(!breaker.left(.failed, at: now, chance: 0))
            rest = min(2 * rest, StoreBreaker.rests.upperBound)
            #expect(breaker.wait(at: now) == rest / 2)
            now += rest / 2
        }
        #expect(rest == StoreBreaker.rests.upperBound)
    }

    @Test func `a failure right after the trial opens it for longer, and as many answers forget the rest`() {
        let breaker = Self.opened()
        #expect(breaker.enter(at: Self.rest) && breaker.left(.answered, at: Self.rest, chance: 0))
        #expect(breaker.left(.failed, at: Self.rest, chance: 0))
        #expect(breaker.wait(at: Self.rest) == Self.rest)
        let later = 2 * Self.rest
        #expect(breaker.enter(at: later) && breaker.left(.answered, at: later, chance: 0))
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(.answered, at: later, chance: 0)) }
        for _ in 1..<StoreBreaker.threshold { #expect(!breaker.left(.failed, at: later, chance: 0)) }
        #expect(breaker.left(.failed, at: later, chance: 0))
        #expect(breaker.wait(at: later) == Self.rest / 2)
    }

    @Test func `a trial that tells nothing leaves the next one its turn, and so does one that is lost`() {
        let breaker = Self.opened()
        #expect(breaker.enter(at: Self.rest))
        #expect(!breaker.left(.nothing, at: Self.rest, chance: 0))
        #expect(breaker.enter(at: Self.rest))
        #expect(!breaker.enter(at: Self.rest + StoreBreaker.probeLimit - 1))
        #expect(breaker.enter(at: Self.rest + StoreBreaker.probeLimit))
    }

    @Test func `a store that has no such object answers, and one that nobody waits for shows nothing`() {
        #expect(ObjectReply.absent.sign == .answered)
        #expect(ObjectReply.failed(ObjectFailure(.error, "503")).sign == .failed)
        #expect(ObjectReply.failed(ObjectFailure(.timeout, "late")).sign == .failed)
        #expect(ObjectReply.failed(ObjectFailure(.own, "given up")).sign == .nothing)
        #expect(ObjectReply.failed(ObjectFailure(.oversized, "too large")).sign == .answered)
    }

    @Test func `what comes late from before it opened does not lengthen the rest`() {
        let breaker = Self.opened()
        #expect(!breaker.left(.failed, at: 10, chance: 0))
        #expect(breaker.wait(at: 0) == Self.rest / 2)
    }
}
