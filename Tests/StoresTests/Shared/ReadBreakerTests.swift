// SPDX-License-Identifier: Apache-2.0

@testable import Stores
import Testing

/// Breakers in a class, so that the expectations' macros can change them.
private final class Breakers {
    private var value = ReadBreakers()

    var areClosed: Bool { value.areClosed }
    func enter(_ kind: ObjectKind, at now: Int64 = 0) -> Bool { value.enter(kind, at: now) }
    func left(_ kind: ObjectKind, _ sign: StoreBreaker.Sign, at now: Int64 = 0) -> Set<ObjectKind> {
        Set(value.left(kind, sign, at: now, chance: 0))
    }
}

@Suite("Each kind of object has a breaker of its own")
struct ReadBreakerTests {
    private static let most = StoreBreaker.threshold - 1

    @Test func `bytes that never come are found out, although each entry is answered`() {
        let breakers = Breakers()
        for _ in 0..<Self.most {
            #expect(breakers.left(.entry, .answered).isEmpty && breakers.left(.rendition, .answered).isEmpty)
            #expect(breakers.left(.original, .failed).isEmpty)
        }
        #expect(breakers.left(.entry, .answered).isEmpty && breakers.left(.rendition, .answered).isEmpty)
        #expect(breakers.left(.original, .failed) == [.original])
        #expect(!breakers.enter(.original) && breakers.enter(.entry) && breakers.enter(.rendition))
        #expect(!breakers.areClosed)
        // Answers for the other kinds do not count as a trial.
        #expect(breakers.left(.entry, .answered).isEmpty && !breakers.enter(.original))
        let later = StoreBreaker.rests.lowerBound
        #expect(breakers.enter(.original, at: later))
        #expect(breakers.left(.original, .answered, at: later) == [.original])
        #expect(breakers.areClosed)
    }

    @Test func `a store that is ill as a whole is found out by as many requests as one breaker needs`() {
        let breakers = Breakers()
        for number in 0..<Self.most {
            #expect(breakers.left(number.isMultiple(of: 2) ? .entry : .rendition, .failed).isEmpty)
        }
        #expect(breakers.left(.rendition, .failed) == Set(ObjectKind.allCases))
        for kind in ObjectKind.allCases { #expect(!breakers.enter(kind)) }
        let later = StoreBreaker.rests.lowerBound
        #expect(breakers.enter(.rendition, at: later))
        #expect(breakers.left(.rendition, .answered, at: later) == Set(ObjectKind.allCases))
        for kind in ObjectKind.allCases { #expect(breakers.enter(kind, at: later)) }
    }

    @Test func `failures of one kind alone leave those open that were answered meanwhile`() {
        let breakers = Breakers()
        for _ in 0..<Self.most { #expect(breakers.left(.entry, .failed).isEmpty) }
        #expect(breakers.left(.rendition, .answered).isEmpty)
        #expect(breakers.left(.entry, .failed) == [.entry, .original])
        #expect(breakers.enter(.rendition))
    }

    @Test func `a store that tells what it has not, and hangs at half of its answers, is found out`() {
        let breakers = Breakers()
        var opened: Set<ObjectKind> = []
        for _ in 0..<2 * StoreBreaker.threshold where opened.isEmpty {
            _ = breakers.left(.entry, .answered)
            opened = breakers.left(.entry, .failed).union(breakers.left(.entry, .failed))
        }
        #expect(opened.contains(.entry))
    }
}
