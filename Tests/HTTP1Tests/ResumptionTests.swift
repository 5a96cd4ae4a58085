// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import RandomInputs
import Testing

/// However the bytes arrive, the parser finds the same.
struct ResumptionTests {
    @Test(arguments: Messages.all) func `a head cut anywhere reads as it does whole`(text: String) {
        let message = bytes(text)
        let whole = Reading(message)
        for cut in 0...message.count { #expect(Reading(message, cuts: [cut]) == whole, "cut at \(cut)") }
        #expect(Reading(message, cuts: 0..<message.count) == whole, "byte by byte")
    }

    @Test(arguments: BodyTests.all) func `a body cut anywhere reads as it does whole`(text: String) {
        let message = bytes(text)
        let whole = BodyReading(message)
        for cut in 0...message.count { #expect(BodyReading(message, cuts: [cut]) == whole, "cut at \(cut)") }
        #expect(BodyReading(message, cuts: 0..<message.count) == whole, "byte by byte")
    }
}

/// Mutations of the messages above. A failure prints the seed, with which it can be repeated.
struct ParserFuzzTests {
    private static let interesting: [UInt8] = [0, 9, 10, 13, 32, 34, 44, 47, 58, 59, 92, 127, 128, 255]

    private static func mutate(_ message: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var message = message
        for _ in 0..<Int.random(in: 1...4, using: &random) where !message.isEmpty {
            let index = Int.random(in: 0..<message.count, using: &random)
            let byte =
                Bool.random(using: &random)
                ? interesting.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: message[index] = byte
            case 1: message.insert(byte, at: index)
            case 2: message.remove(at: index)
            case 3: message.removeSubrange(index...)
            default:
                let end = min(index + Int.random(in: 1...40, using: &random), message.count)
                message.insert(contentsOf: message[index..<end], at: index)
            }
        }
        return message
    }

    private static func cuts(_ count: Int, _ random: inout SeededRandom) -> [Int] {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in Int.random(in: 0...count, using: &random) }
            .sorted()
    }

    @Test func `mutated heads are read the same in pieces, and nothing illegal comes through`() {
        var random = SeededRandom(for: "Resumption")
        let seed = random.seed
        for _ in 0..<4000 {
            let message = Self.mutate(bytes(Messages.all.randomElement(using: &random) ?? ""), &random)
            let whole = Reading(message)
            let pieces = Reading(message, cuts: Self.cuts(message.count, &random))
            #expect(whole == pieces, "seed \(seed)")
            guard let found = whole.found else { continue }
            let head = message[..<found.length]
            #expect(head.suffix(4).elementsEqual([13, 10, 13, 10]), "seed \(seed)")
            #expect(!head.contains(0) && !head.contains(127), "seed \(seed)")
            #expect(head.count { $0 == 13 } == head.count { $0 == 10 }, "seed \(seed)")
            #expect(found.target == "*" || found.target.hasPrefix("/"), "seed \(seed)")
            let lines = String(decoding: head, as: Unicode.ASCII.self).split(separator: "\r\n").count
            #expect(found.fields.list.count == lines - 1, "every line is a field, seed \(seed)")
            #expect(found.minorVersion == 0 || found.fields.values("host").count == 1, "seed \(seed)")
        }
    }

    @Test func `mutated bodies are read the same in pieces and stay within the limits`() {
        var random = SeededRandom(for: "Resumption")
        let seed = random.seed
        for _ in 0..<4000 {
            let message = Self.mutate(bytes(BodyTests.all.randomElement(using: &random) ?? ""), &random)
            let whole = BodyReading(message)
            #expect(whole == BodyReading(message, cuts: Self.cuts(message.count, &random)), "seed \(seed)")
            #expect(whole.content.count <= min(BodyReading.limits.bodyBytes, message.count), "seed \(seed)")
            #expect(whole.consumed <= message.count, "seed \(seed)")
        }
    }
}
