// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The path of a file in its folder: `ab/` and the 64 digits of its name.
///
/// One level of 256 folders: a million files are 4,000 per folder, which today's file systems index. A second
/// level would cost 65,000 folders of 4 KiB (251 MB against 22 MB at 200,000 files on ext4), two mkdir(2) for
/// almost every file of a young cache (5,904 more calls for the first 2,000 files), and 0.5 µs for each open.
struct FilePath: Sendable {
    /// The text ends with a zero byte, as `withCString` requires.
    private let text: InlineArray<68, UInt8>

    init(_ name: Digest) {
        var text = InlineArray<68, UInt8>(repeating: 0)
        var span = text.mutableSpan
        span.withUnsafeMutableBufferPointer { text in
            name.writeHex(to: UnsafeMutableBufferPointer(rebasing: text[3..<67]))
            // Cannot trap: the array has 68 bytes.
            (text[0], text[1], text[2]) = (text[3], text[4], UInt8(ascii: "/"))
        }
        self.text = text
    }

    var relative: String { withCString { String(cString: $0) } }

    /// Passes the path to a system call without copying it.
    func withCString<Result>(_ call: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafePointer(to: text) { call(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) }
    }

    /// The name of the folder, such as `ab`.
    var folder: String { String(relative.prefix(2)) }

    /// All folders, `00` to `ff`.
    static let folders: [String] = (0..<256).map { number in
        String(number >> 4, radix: 16) + String(number & 15, radix: 16)
    }

    /// Modes of files and folders in the cache: for their owner only.
    static let (fileMode, folderMode): (UInt32, UInt32) = (0o600, 0o700)
}
