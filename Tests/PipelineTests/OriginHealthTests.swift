// SPDX-License-Identifier: Apache-2.0

import ImageModel
import Testing

@testable import Pipeline

/// The circuit breaker of one origin, event by event. Times are seconds here.
struct OriginHealthTests {
    private struct Patient {
        var health = OriginHealth()
        var policy = HealthPolicy()
        var now: Int64 = 0
        var chance = 0.0
        var lastNumber: UInt64 = 0

        init(failures: Int = 3) { policy.failures = failures }

        mutating func wait(_ seconds: Double) { now += Int64(seconds * 1_000_000) }

        /// Nil: refused.
        mutating func enter() -> (number: UInt64, entry: OriginHealth.Entry) {
            lastNumber += 1
            return (lastNumber, health.enter(lastNumber, now: now))
        }

        @discardableResult
        mutating func hear(_ sign: OriginSign, from number: UInt64? = nil) -> OriginHealth.Change? {
            health.hear(sign, from: number ?? lastNumber, now: now, chance: chance, policy)
        }

        /// Enters and hears.
        @discardableResult
        mutating func ask(_ sign: OriginSign) -> OriginHealth.Entry {
            let (number, entry) = enter()
            if case .refused = entry { return entry }
            hear(sign, from: number)
            return entry
        }

        /// Seconds of the rest under way, by the half that is not drawn.
        var rest: Double? {
            if case .resting(let until) = health.state { Double(until - now) / 1_000_000 } else { nil }
        }
    }

    @Test func `it rests after so many failures in a row, and not before`() {
        var patient = Patient()
        for _ in 1...2 { #expect(patient.ask(.down) == .asks) }
        #expect(patient.health.outlook(now: patient.now) == .well)
        #expect(patient.hear(.down) == .rests(.failing, for: 500_000))
        #expect(patient.ask(.well) == .refused(OriginRest(cause: .failing, seconds: 1)))
    }

    @Test func `a success in between begins a new row, and leaves nothing behind`() {
        var patient = Patient()
        for _ in 1...10 {
            patient.ask(.down)
            patient.ask(.failed(url: 1, pause: 9))
            patient.ask(.well)
            #expect(patient.health.isWell)
        }
        #expect(patient.ask(.down) == .asks)
    }

    @Test func `one URL that always fails counts once`() {
        var patient = Patient()
        for _ in 1...50 { #expect(patient.ask(.failed(url: 1, pause: 60)) == .asks) }
        patient.ask(.failed(url: 2, pause: nil))
        #expect(patient.health.outlook(now: patient.now) == .well)
        // The longest pause that was asked for in the row.
        #expect(patient.hear(.failed(url: 3, pause: 20)) == .rests(.failing, for: 60_000_000))
    }

    @Test func `failures far apart are not of one sickness`() {
        var patient = Patient()
        for _ in 1...50 {
            #expect(patient.ask(.down) == .asks)
            patient.wait(61)
        }
    }

    @Test func `after the rest exactly one asks, and its success lets all in`() {
        var patient = Patient(failures: 1)
        patient.ask(.down)
        patient.wait(0.5)
        let probe = patient.enter()
        #expect(probe.entry == .probes)
        for _ in 1...5 { #expect(patient.ask(.well) == .refused(OriginRest(cause: .failing, seconds: 1))) }
        patient.wait(1000)
        #expect(patient.ask(.well) == .refused(OriginRest(cause: .failing, seconds: 1)))
        #expect(patient.hear(.well, from: probe.number) == .recovered)
        #expect(patient.health.isWell)
        #expect(patient.ask(.well) == .asks)
    }

    @Test func `each probe that fails doubles the rest, up to the longest`() {
        var patient = Patient(failures: 1)
        patient.ask(.down)
        var rests: [Double] = []
        for _ in 1...8 {
            rests.append(patient.rest ?? -1)
            patient.wait(patient.rest ?? 0)
            #expect(patient.ask(.down) == .probes)
        }
        #expect(rests == [0.5, 1, 2, 4, 8, 15, 15, 15])
        patient.wait(15)
        patient.ask(.well)
        patient.ask(.down)
        #expect(patient.rest == 0.5)
    }

    @Test func `half of each rest is drawn`() {
        for (chance, rest) in [(0, 0.5), (0.5, 0.75), (0.98, 0.99)] {
            var patient = Patient(failures: 1)
            patient.chance = chance
            patient.ask(.down)
            #expect(patient.rest == rest)
        }
    }

    @Test(arguments: [OriginSign.none])
    func `a probe that came to nothing leaves its place to the next`(sign: OriginSign) {
        var patient = Patient(failures: 1)
        patient.ask(.down)
        patient.wait(0.5)
        for _ in 1...3 {
            #expect(patient.ask(sign) == .probes)
            #expect(patient.health.outlook(now: patient.now) == .probeDue)
        }
        #expect(patient.ask(.down) == .probes)
        #expect(patient.rest == 1)
    }

    @Test func `what others bring back while one probes is no news`() {
        var patient = Patient(failures: 2)
        let early = (1...4).map { _ in patient.enter().number }
        patient.hear(.down, from: early[0])
        patient.hear(.down, from: early[1])
        // A success that was under way before tells nothing of now.
        #expect(patient.hear(.well, from: early[2]) == nil)
        #expect(patient.rest == 0.5)
        patient.wait(0.5)
        let probe = patient.enter()
        #expect(probe.entry == .probes)
        #expect(patient.hear(.down, from: early[3]) == nil)
        #expect(patient.health.state == .probing(probe.number))
        #expect(patient.hear(.well, from: probe.number) == .recovered)
    }

    @Test func `a 429 rests the origin at once, for as long as it says within the limit`() {
        var patient = Patient()
        #expect(patient.ask(.throttled(pause: 7)) == .asks)
        #expect(patient.rest == 7)
        #expect(patient.ask(.well) == .refused(OriginRest(cause: .throttled, seconds: 7)))
        patient = Patient()
        patient.ask(.throttled(pause: 86_400))
        #expect(patient.rest == 300)
        patient = Patient()
        patient.ask(.throttled(pause: nil))
        #expect(patient.rest == 0.5)
    }

    @Test func `who says again and again how long to wait is taken at his word`() {
        var patient = Patient()
        for _ in 1...10 {
            patient.ask(.throttled(pause: 2))
            #expect(patient.rest == 2)
            patient.wait(2)
        }
        // Where that is not said, each is longer than the one before.
        patient.ask(.throttled(pause: 0))
        #expect(patient.rest == 15)
    }

    @Test func `a longer pause that comes late is heard, a shorter one is not`() {
        var patient = Patient()
        patient.ask(.throttled(pause: 10))
        patient.hear(.throttled(pause: 5), from: 0)
        #expect(patient.rest == 10)
        patient.hear(.throttled(pause: 20), from: 0)
        #expect(patient.rest == 20)
    }

    @Test func `with no number of failures it never rests, save when it is asked to`() {
        var patient = Patient(failures: 0)
        for _ in 1...1000 { #expect(patient.ask(.down) == .asks) }
        patient.ask(.throttled(pause: 3))
        #expect(patient.rest == 3)
    }

    /// Many clients, whose comings and goings are drawn. Whatever their order: while it does not rest all are let in,
    /// after a rest one at a time, nobody during it, and with an origin that is well again and clients that come it is
    /// closed in the end.
    @Test(arguments: (1...20).map { _ in UInt64.random(in: 0 ... .max) })
    func `in whatever order they come and go, one probes at a time and the place is never lost`(seed: UInt64)
    {
        var random = SeededGenerator(seed: seed)
        var patient = Patient(failures: Int.random(in: 1...5, using: &random))
        var inside: [UInt64: OriginHealth.Entry] = [:]
        let signs: [OriginSign] = [
            .well, .down, .failed(url: 1, pause: nil), .failed(url: 2, pause: 4), .throttled(pause: nil),
            .throttled(pause: 5), .none,
        ]
        for _ in 0..<3000 {
            patient.now += Int64.random(in: 0...800_000, using: &random)
            patient.chance = Double.random(in: 0..<1, using: &random)
            let before = patient.health.outlook(now: patient.now)
            if Bool.random(using: &random) {
                let (number, entry) = patient.enter()
                switch (before, entry) {
                case (.well, .asks), (.probeDue, .probes): inside[number] = entry
                case (.resting(let rest), .refused(let told)): #expect(rest == told && rest.seconds >= 1)
                default: Issue.record("\(before) let \(entry) in, seed \(seed)")
                }
            } else if let number = inside.keys.sorted().randomElement(using: &random) {
                let isProbe = inside.removeValue(forKey: number) == .probes
                let change = patient.hear(
                    signs.randomElement(using: &random) ?? .none, from: number)
                if isProbe { #expect(patient.health.state != .probing(number), "seed \(seed)") }
                if case .recovered = change { #expect(isProbe, "seed \(seed)") }
            }
            #expect(inside.values.count { $0 == .probes } <= 1, "seed \(seed)")
            if case .probing(let number) = patient.health.state {
                #expect(inside[number] == .probes, "seed \(seed)")
            }
            if let rest = patient.rest { #expect(rest <= 30, "seed \(seed)") }
        }
        for number in inside.keys.sorted() { patient.hear(.none, from: number) }
        patient.wait(30)
        patient.ask(.well)
        #expect(patient.health.isWell, "seed \(seed)")
    }
}
