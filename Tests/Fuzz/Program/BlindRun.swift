// SPDX-License-Identifier: Apache-2.0

internal import FuzzTargets
internal import Glibc

/// Random inputs, without a look at what they reach: a target that a grammar feeds makes whole requests and pictures of
/// any bytes, and without the instruments it takes several times as many.
struct BlindRun {
    private let count: UInt64
    private let seed: UInt64
    private static let longest: UInt64 = 2048
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
    func feed(_ target: FuzzTarget) {
        var bytes = [UInt8](repeating: 0, count: Int(Self.longest))
        for number in 0..<count {
            let own = seed &+ number
            if number % Self.stride == 0 { alarm(Self.patience) }
            tell(own)
            var random = SplitMix(state: own)
            // Short ones more often than long ones.
            let length = Int((random.next() % (random.next() % Self.longest + 1)) &+ 1)
            for place in Swift.stride(from: 0, to: length, by: 8) {
                withUnsafeBytes(of: random.next()) { word in
                    for (offset, byte) in word.enumerated() where place + offset < length {
                        bytes[place + offset] = byte
                    }
                }
            }
            bytes.withUnsafeBytes { target.run(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        }
    }

    /// In place, so that it stands there when the process has ended.
    private func tell(_ number: UInt64) {
        let line = "\(number)".utf8
        let text = Array(line) + [UInt8](repeating: 0x20, count: 20 - line.count) + [0x0A]
        _ = pwrite(STDOUT_FILENO, text, text.count, 0)
    }
}

/// Steele, Lea and Flood: Fast splittable pseudorandom number generators (2014).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
