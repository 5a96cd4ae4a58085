// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The memory of this process, as the kernel counts it.
package enum ResidentMemory {
    /// Bytes that are resident, of `/proc/self/statm` (proc(5)); nil where it cannot be read.
    package static var bytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            let words = buffer[..<count].split(separator: UInt8(ascii: " "))
            guard words.count > 1, let pages = Int(String(decoding: words[1], as: UTF8.self)) else {
                return nil
            }
            return pages * Int(getpagesize())
        }
    }
}
