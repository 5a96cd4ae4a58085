// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension OwnedDescriptor {
    /// Fills the buffer with the file's bytes from `offset` on.
    /// - Throws: if the file is too short or cannot be read; the store that opened the file is told first.
    package func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(raw, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error =
                    count < 0
                    ? SystemError.last("pread") : SystemError("pread: the file ends too early", code: EIO)
                cannotBeRead(error)
                throw error
            }
            filled += count
        }
    }

    /// A copy of the file's first `count` bytes; nil if the file is shorter or cannot be read.
    package func bytes(count: Int) -> ImmutableBytes? {
        try? ImmutableBytes(count: count) { (storage) throws(SystemError) in try read(from: 0, into: storage)
        }
    }

    /// Gives the file's first `length` bytes to `take`, piece by piece, each with its offset in the file.
    /// - Throws: what `read` and `take` throw.
    package func readThrough(
        _ length: Int, _ take: (UnsafeRawBufferPointer, Int) throws(SystemError) -> Void
    ) throws(SystemError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { piece.deallocate() }
        for offset in stride(from: 0, to: length, by: piece.count) {
            let part = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, length - offset)])
            try read(from: offset, into: part)
            try take(UnsafeRawBufferPointer(part), offset)
        }
    }

    /// Copies the file's first `length` bytes to the start of another file.
    package func copy(_ length: Int, to other: OwnedDescriptor) throws(SystemError) {
        try readThrough(length) { (piece, offset) throws(SystemError) in try other.write(piece, at: offset) }
    }

    /// Writes all of these bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = pwrite(raw, rest.baseAddress, rest.count, off_t(offset + done))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .last("pwrite") }
            done += written
        }
    }
}
