// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ImageHeaders
internal import Kernel

/// A question's file as a source for the header parsers.
///
/// **Isolation:** confined to the process's only thread.
final class OpenPicture: HeaderSource {
    let length: Int
    private let file: OwnedDescriptor
    /// True once a read failed or the file ended before its declared length; the parsers' findings are then
    /// void.
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
