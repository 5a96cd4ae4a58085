// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension OwnedDescriptor {
    /// The file's first `count` bytes, or nil where it is shorter or cannot be read.
    package func bytes(count: Int) -> ImmutableBytes? {
        try? ImmutableBytes(count: count) { (storage) throws(SystemError) in
            var filled = 0
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: storage[filled...])
                let read = pread(raw, rest.baseAddress, rest.count, off_t(filled))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { throw SystemError.last("pread") }
                filled += read
            }
        }
    }
}
