// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension OwnedDescriptor {
    /// Fills the buffer with the file's bytes from `offset` on.
    /// - Throws: if the file is too short or cannot be read; the file's store is told first.
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

    /// The file's first `count` bytes; nil if the file is shorter or cannot be read.
    package func bytes(count: Int) -> ImmutableBytes? {
        try? ImmutableBytes(count: count) { (storage) throws(SystemError) in try read(from: 0, into: storage)
        }
    }
}
