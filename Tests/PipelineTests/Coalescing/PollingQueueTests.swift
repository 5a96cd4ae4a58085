// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import RandomInputs
import Testing

@Suite("A line before a service is left in the order of arrival", .timeLimit(.minutes(1)))
struct PollingQueueTests {
    private typealias Place = OneShot<PollingQueue.Call>

    @Test func `its places are those of a list`() {
        var random = SeededRandom(for: "PollingQueue")
        let seed = random.seed
        var line = PollingQueue.Line()
        var list: [(place: Place, number: Int)] = []
        var gone: [(place: Place, number: Int)] = []
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let place = Place()
                list.append((place, line.append(place)))
            case 2:
                let first = line.popFirst()
                #expect(first === list.first?.place, "seed \(seed)")
                if !list.isEmpty { gone.append(list.removeFirst()) }
            default:
                if let index = list.indices.randomElement(using: &random) {
                    let left = list.remove(at: index)
                    gone.append(left)
                    let isRemoved = line.remove(left.place, left.number)
                    #expect(isRemoved, "seed \(seed)")
                }
                if let (place, number) = gone.randomElement(using: &random) {
                    let isRemoved = line.remove(place, number)
                    #expect(!isRemoved, "seed \(seed)")
                }
            }
            #expect(line.count == list.count, "seed \(seed)")
        }
        #expect(
            Set(line.all.map { ObjectIdentifier($0) }) == Set(list.map { ObjectIdentifier($0.place) }),
            "seed \(seed)")
    }

    @Test func `a number of an earlier line takes nobody's place`() {
        var (earlier, later) = (PollingQueue.Line(), PollingQueue.Line())
        let (old, new) = (Place(), Place())
        let numbers = (earlier.append(old), later.append(new))
        #expect(numbers.0 == numbers.1)
        let isRemoved = later.remove(old, numbers.0)
        #expect(!isRemoved && later.count == 1)
    }

    @Test func `400,000 who wait, and of whom half give up, cost no more than so many`() {
        var line = PollingQueue.Line()
        let places = (0..<400_000).map { _ in Place() }
        let numbers = places.map { line.append($0) }
        // The requests that came last give up first.
        var removed = 0
        for index in places.indices.reversed() where index.isMultiple(of: 2) {
            if line.remove(places[index], numbers[index]) { removed += 1 }
        }
        #expect(removed == 200_000)
        var next = 1
        while let place = line.popFirst(), place === places[next] { next += 2 }
        #expect(next == 400_001 && line.count == 0)
    }
}
