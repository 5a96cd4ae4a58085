// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Unnamed files in memory (memfd_create(2)). They carry bytes of the memory cache to a decoder, and a
/// decoder's output to the memory cache.
package enum MemoryFile {
    /// An empty file, open for reading and writing.
    /// - Throws: if memfd_create(2) fails.
    package static func empty() throws(SystemError) -> OwnedDescriptor {
        let raw = pictor_memory_file("pictor")
        guard raw >= 0 else { throw .last("memfd_create") }
        return OwnedDescriptor(adopting: raw)
    }

    /// A file that holds these bytes.
    /// - Throws: if it cannot be made or written.
    package static func holding(_ bytes: ImmutableBytes) throws(SystemError) -> OwnedDescriptor {
        let file = try empty()
        try write(bytes.buffer, to: file)
        return file
    }

    /// A request's descriptor whose first `body.length` bytes are the body's: the file itself, or a copy in memory.
    /// - Throws: if the copy cannot be made or written, or only the reserve has a descriptor for it.
    package static func descriptor(of body: Body) throws(SystemError) -> OwnedDescriptor {
        switch body {
        case .file(let descriptor, _): return descriptor
        case .bytes(let bytes): return try holding(bytes).forRequest()
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: OwnedDescriptor) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let written = pwrite(file.raw, rest.baseAddress, rest.count, off_t(offset))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .last("pwrite") }
            offset += written
        }
    }
}
