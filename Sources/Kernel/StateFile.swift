// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files that outlive a crash. All of it blocks.
package enum StateFile {
    /// Nil if there is no such file.
    /// - Parameter largest: bytes of a file that is read: far more than any that is written.
    /// - Throws: if it is there and cannot be read.
    package static func read(_ path: String, largest: Int) throws(SystemError) -> String? {
        guard let file = try LastingFile.open(path, O_RDONLY) else { return nil }
        let size = try LastingFile.size(of: file)
        guard size <= largest else { throw SystemError("read", code: EFBIG) }
        var bytes = [UInt8](repeating: 0, count: max(0, size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(file.raw, buffer.baseAddress.map { $0 + done }, buffer.count - done, done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("pread") }
            if count == 0 { break }
            done += count
        }
        return String(decoding: bytes[..<done], as: UTF8.self)
    }

    /// Puts a file in the place of another, or of none, as `LastingFile.replace`.
    package static func replace(_ path: String, with text: String) throws(SystemError) {
        var known = FileIdentity(at: path)
        try replace(path, with: text, over: &known)
    }

    /// As `LastingFile.replace`, which takes no other file's place than the known one's.
    package static func replace(
        _ path: String, with text: String, over known: inout FileIdentity?
    ) throws(SystemError) {
        try LastingFile.replace(path, with: Array(text.utf8), over: &known) { fdatasync($0) }
    }

    /// Appends to a file, and returns once it is on disk if `mustLast`.
    /// - Returns: false if there is no such file, if it is another one, or if it has not the size that is expected.
    package static func append(
        _ text: String, to path: String, _ known: FileIdentity?, of size: Int, mustLast: Bool
    ) throws(SystemError) -> Bool {
        guard let file = try LastingFile.open(path, O_WRONLY | O_APPEND) else { return false }
        guard try LastingFile.size(of: file) == size, FileIdentity(of: file) == known else { return false }
        try LastingFile.append(Array(text.utf8), to: file)
        if mustLast { guard fdatasync(file.raw) == 0 else { throw .last("fdatasync") } }
        return true
    }
}
