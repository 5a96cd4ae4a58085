// SPDX-License-Identifier: Apache-2.0

internal import FuzzTargets
internal import Glibc

/// Random inputs, without a look at what they reach: without the instruments, a target takes several times as many. One that
/// a grammar feeds makes whole requests and pictures of any bytes; the others get damaged seeds.
struct BlindRun {
    private let count: UInt64
    private let seed: UInt64
    private static let longest = 2048
    /// Inputs between two signs of life; seconds that they may take.
    private static let stride: UInt64 = 1000
    private static let patience: UInt32 = 60

    /// `COUNT:SEED`.
    init?(_ text: String) {
        let words = text.split(separator: ":")
        guard words.count == 2, let count = UInt64(words[0]), let seed = UInt64(words[1]) else { return nil }
        self.count = count
        self.seed = seed
    }

    /// What ends the process is the input whose number was written last; `1:SEED` with that number as its seed repeats it.
    /// - Parameter corpus: empty: inputs are any bytes.
    func feed(_ target: FuzzTarget, _ corpus: SeedCorpus) {
        for number in 0..<count {
            let own = seed &+ number
            if number % Self.stride == 0 { alarm(Self.patience) }
            tell(own)
            var random = SplitMix(state: own)
            let input = corpus.isEmpty ? Self.noise(&random) : corpus.input(&random)
            input.withUnsafeBytes { target.run($0) }
        }
    }

    /// Short ones more often than long ones.
    private static func noise(_ random: inout SplitMix) -> [UInt8] {
        let length = 1 + random.below(1 + random.below(longest))
        return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
            for place in Swift.stride(from: 0, to: length, by: 8) {
                withUnsafeBytes(of: random.next()) { word in
                    for (offset, byte) in word.enumerated() where place + offset < length {
                        bytes.initializeElement(at: place + offset, to: byte)
                    }
                }
            }
            count = length
        }
    }

    /// In place, so that it stands there when the process has ended.
    private func tell(_ number: UInt64) {
        let line = "\(number)".utf8
        let text = Array(line) + [UInt8](repeating: 0x20, count: 20 - line.count) + [0x0A]
        _ = pwrite(STDOUT_FILENO, text, text.count, 0)
    }
}
