// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import RandomInputs
import Testing

/// The short run. `scripts/fuzz TARGET` is the long one, under libFuzzer.
@Suite struct CorpusTests {
    private static func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/\(target.rawValue)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `each target keeps its promises over its corpus, and over damage to it`(target: FuzzTarget) throws {
        let seeds = try Self.seeds(of: target)
        #expect(seeds.count >= 4)
        for seed in seeds { seed.withUnsafeBytes { target.run($0) } }
        var random = SeededRandom(for: "fuzz \(target.rawValue)")
        for _ in 0..<1500 {
            let input = random.damaged(try #require(seeds.randomElement(using: &random)), seeds)
            input.withUnsafeBytes { target.run($0) }
        }
    }
}

extension SeededRandom {
    /// One to four bytes changed, put in or taken out, or a piece of another seed spliced in.
    fileprivate mutating func damaged(_ seed: [UInt8], _ seeds: [[UInt8]]) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            let end = min(place + Int.random(in: 0...4, using: &self), bytes.count)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &self)])
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default:
                let other = seeds.randomElement(using: &self) ?? []
                let start = Int.random(in: 0...other.count, using: &self)
                bytes.replaceSubrange(place..<end, with: other[start...].prefix(16))
            }
        }
        return bytes
    }
}
