// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// Where a file lies in its folder: `ab/cd/` and the 64 digits of its name. Two levels of 256 folders keep each
/// folder small up to tens of millions of files.
struct FilePath: Sendable, Hashable {
    let relative: String

    init(_ name: Digest) {
        relative = String(unsafeUninitializedCapacity: 70) { buffer in
            var position = 0
            func put(_ byte: UInt8) {
                buffer[position] = byte
                position += 1
            }
            func put(nibble: UInt64) { put(UInt8(nibble < 10 ? 48 + nibble : 87 + nibble)) }
            for shift in [60, 56] as [UInt64] { put(nibble: name.words.0 >> shift & 15) }
            put(0x2F)
            for shift in [52, 48] as [UInt64] { put(nibble: name.words.0 >> shift & 15) }
            put(0x2F)
            for word in [name.words.0, name.words.1, name.words.2, name.words.3] {
                for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
                    put(nibble: word >> shift & 15)
                }
            }
            return position
        }
    }

    /// `ab` and `ab/cd`.
    var folders: [String] { [String(relative.prefix(2)), String(relative.prefix(5))] }

    /// The digest that a file's own name (64 lower-case digits) spells.
    static func digest(fileName: String) -> Digest? {
        guard fileName.utf8.count == 64 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in fileName.utf8.enumerated() {
            let nibble: UInt8
            switch byte {
            case 0x30...0x39: nibble = byte - 0x30
            case 0x61...0x66: nibble = byte - 0x57
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(nibble)
        }
        return Digest(words: (words[0], words[1], words[2], words[3]))
    }
}
