// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Text files that outlive a crash. Every call blocks on the disk.
package enum StateFile {
    /// The text of the file; nil if there is no such file.
    /// - Parameter largest: the most bytes that are read; far more than Pictor writes to such a file.
    /// - Throws: if the file exists but cannot be read, or is larger.
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

    /// Replaces a file, or makes it, as `LastingFile.replace` does, whatever file has the path now.
    package static func replace(_ path: String, with text: String) throws(SystemError) {
        var known = FileIdentity(at: path)
        try replace(path, with: text, over: &known)
    }

    /// As `LastingFile.replace`: throws if the path names a file other than `known`.
    package static func replace(
        _ path: String, with text: String, over known: inout FileIdentity?
    ) throws(SystemError) {
        try LastingFile.replace(path, with: Array(text.utf8), over: &known) { fdatasync($0) }
    }

    /// Appends to a file; if `mustLast`, returns only once the text is on the disk.
    /// - Returns: false if there is no such file, if it is not the `known` one, or if its size is not `size` bytes.
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
