// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Inputs that are known to reach far, and words that matter, from which others are made by damage.
struct SeedCorpus {
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private static let longest = 2048

    /// - Parameters:
    ///   - folders: of inputs, each a file.
    ///   - dictionary: in libFuzzer's form; nil: none.
    init(folders: [String], dictionary: String?) throws {
        seeds = try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
                [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: $0)).prefix(Self.longest))
            }
        }
        words = try dictionary.map { try Self.words(of: String(contentsOfFile: $0, encoding: .utf8)) } ?? []
    }

    var isEmpty: Bool { seeds.isEmpty }

    /// A seed after one to eight changes.
    func input(_ random: inout SplitMix) -> [UInt8] {
        var bytes = seeds[random.below(seeds.count)]
        for _ in 0...random.below(8) { damage(&bytes, &random) }
        return bytes
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let place = random.below(bytes.count + 1)
        let end = min(place + random.below(5), bytes.count)
        switch random.below(8) {
        case 0: bytes.replaceSubrange(place..<end, with: [UInt8(truncatingIfNeeded: random.next())])
        case 1: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.below(8)) }
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.removeSubrange(place..<min(place + random.below(64), bytes.count))
        case 4:
            guard bytes.count < Self.longest else { return }
            bytes.insert(contentsOf: bytes[place..<min(place + random.below(64), bytes.count)], at: place)
        case 5:
            let other = seeds[random.below(seeds.count)]
            let start = random.below(other.count + 1)
            bytes.replaceSubrange(place..<end, with: other[start...].prefix(random.below(128)))
        default:
            guard !words.isEmpty, bytes.count < Self.longest else { return }
            bytes.replaceSubrange(place..<end, with: words[random.below(words.count)])
        }
    }

    /// A line is `name="word"` or `"word"`, with `\\`, `\"` and `\xNN`; others are comments.
    private static func words(of dictionary: String) -> [[UInt8]] {
        dictionary.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#"), let first = line.firstIndex(of: "\""),
                let last = line.lastIndex(of: "\""), first < last
            else { return nil }
            return unescaped(Array(line[line.index(after: first)..<last].utf8))
        }
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            if escaped == UInt8(ascii: "x"), rest.count >= 2,
                let number = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(number)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(escaped)
            }
        }
        return bytes
    }
}
