// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ImageHeaders
internal import Kernel

/// The file of a question, as the header parsers read it.
///
/// **Isolation:** confined to the process's one thread.
final class OpenPicture: HeaderSource {
    let length: Int
    private let file: OwnedDescriptor
    /// The disk gave an error, or fewer bytes than the file had when it was sent: what the parsers made of
    /// that says nothing of the picture.
    private(set) var isUnreadable = false

    init(_ file: OwnedDescriptor, length: Int) {
        self.file = file
        self.length = length
    }

    func read(at offset: Int, count: Int) -> [UInt8] {
        let count = max(0, min(count, length - offset))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let read = pread(file.raw, rest.baseAddress, rest.count, off_t(offset + filled))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    isUnreadable = true
                    return
                }
                filled += read
            }
        }
    }
}
