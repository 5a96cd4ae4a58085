// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
import Kernel
import RandomInputs
import SourceURLs
@testable import Stores
import Testing

@Suite("What waits to be written is found without a search", .timeLimit(.minutes(1)))
struct WriteQueueModelTests {
    /// The rules of `WriteQueue` as searches through a list, except for the rules about bytes that are opened later.
    private struct ListModel {
        let limits: (count: Int, bytes: Int)
        var waiting: [StoreChange] = []
        var writing: [ObjectName] = []
        var isPurging = false
        var bytes: Int { waiting.reduce(0) { $0 + $1.size } }

        func deletes(_ name: ObjectName) -> Bool { waiting.contains { $0.leaving.contains(name) } }
        func holds(_ name: ObjectName) -> Bool {
            writing.contains(name) || waiting.contains { $0.name == name }
        }

        mutating func push(_ change: StoreChange) -> Bool {
            if let name = change.name, let index = waiting.lastIndex(where: { $0.name == name }),
                waiting[index...].allSatisfy({ $0.name != nil })
            {
                guard bytes - waiting[index].size + change.size <= limits.bytes else { return false }
                waiting[index] = change
                return true
            }
            let most = limits.count + (change.size == 0 ? WriteQueue.purgeLimit : 0)
            guard waiting.count < most, bytes + change.size <= limits.bytes else { return false }
            waiting.append(change)
            return true
        }

        mutating func pop() -> StoreChange? {
            if isPurging { return nil }
            for (index, change) in waiting.enumerated() {
                guard let name = change.name else {
                    guard index == 0, writing.isEmpty else { return nil }
                    isPurging = true
                    return waiting.remove(at: 0)
                }
                if writing.contains(name) { continue }
                writing.append(name)
                return waiting.remove(at: index)
            }
            return nil
        }

        mutating func finish(_ change: StoreChange) {
            if change.name == nil { isPurging = false }
            writing.removeAll { $0 == change.name }
        }
    }

    private static let names = (0..<6).map { ObjectName.entry(OriginalKey(url: "http://host/\($0)")) }

    private static func change(_ random: inout SeededRandom) -> StoreChange {
        let name = names.randomElement(using: &random) ?? names[0]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return StoreChange(.delete(name))
        case 1: return StoreChange(.purge(Set(names.filter { _ in random.chance(30) }), []))
        default:
            let body = ImmutableBytes([UInt8](repeating: 1, count: Int.random(in: 1...40, using: &random)))
            return StoreChange(.put(name, .held(.bytes(body)), metadata: [], at: Timestamp(seconds: 0)))
        }
    }

    /// How many changes could be made at the same time.
    private static func ready(in queue: WriteQueue) -> Int {
        var (queue, count) = (queue, 0)
        while queue.pop(at: 0) != nil { count += 1 }
        return count
    }

    @Test func `it answers as a search through what waits`() {
        var random = SeededRandom(for: "it answers as a search through what waits")
        var queue = WriteQueue(count: 8, bytes: 600)
        var searched = ListModel(limits: (8, 600))
        var under: [StoreChange] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                let change = Self.change(&random)
                let (isTaken, expected) = (queue.push(change), searched.push(change))
                #expect(isTaken == expected)
            case 40..<70:
                let (next, expected) = (queue.pop(at: 0), searched.pop())
                #expect(next?.name == expected?.name && next?.leaving == expected?.leaving)
                #expect((next == nil) == (expected == nil))
                if let next { under.append(next) }
            case 70..<97:
                guard let index = under.indices.randomElement(using: &random) else { continue }
                let change = under.remove(at: index)
                let (before, isAwaited) = (Self.ready(in: queue), queue.isAwaited(change))
                queue.finish(change)
                #expect(isAwaited || Self.ready(in: queue) <= before)
                searched.finish(change)
                if !change.leaving.isEmpty, random.chance(30) {
                    queue.putBack(change)
                    searched.waiting.insert(change, at: 0)
                }
            case 97, 98:
                let name = Self.names.randomElement(using: &random)
                let dropped = queue.drop { $0.name == name }
                #expect(dropped.allSatisfy { $0 == name })
                searched.waiting.removeAll { if case .put = $0.kind { $0.name == name } else { false } }
            default:
                let dropped = queue.dropAll()
                #expect(dropped == searched.waiting.count)
                searched.waiting = []
            }
            #expect(queue.count == searched.waiting.count && queue.bytes == searched.bytes)
            for name in Self.names {
                #expect(queue.deletes(name) == searched.deletes(name))
                #expect(queue.holds(name) == searched.holds(name))
            }
        }
    }

    @Test func `10,000 purges that wait hold up no reads`() {
        var queue = WriteQueue(count: 256, bytes: 1_000)
        for number in 0..<WriteQueue.purgeLimit {
            let names = ["a", "b"].map { ObjectName.entry(OriginalKey(url: "http://\($0)/\(number)")) }
            let isTaken = queue.push(StoreChange(.purge(Set(names), [])))
            #expect(isTaken)
        }
        let others = (0..<100).map { ObjectName.entry(OriginalKey(url: "http://elsewhere/\($0)")) }
        var found = 0
        for _ in 0..<1_000 {
            for name in others where queue.deletes(name) || queue.holds(name) { found += 1 }
        }
        #expect(found == 0)
        let last = ObjectName.entry(OriginalKey(url: "http://b/\(WriteQueue.purgeLimit - 1)"))
        #expect(queue.deletes(last) && !queue.holds(last))
    }
}
