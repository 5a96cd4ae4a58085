// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Unnamed files in memory (memfd_create(2)). They carry bytes of the memory cache to a decoder, and a
/// decoder's output to the memory cache.
package enum MemoryFile {
    /// An empty file, open for reading and writing.
    /// - Throws: if it cannot be made.
    package static func empty() throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try create())
    }

    static func create() throws(SystemError) -> Int32 {
        let raw = pictor_memory_file("pictor")
        guard raw >= 0 else { throw .last("memfd_create") }
        // The kernel does not count a memory file's first opening as one that can write, so it is opened again (see `writers`).
        return try OwnedDescriptor(adopting: raw).openAgain(O_RDWR)
    }

    /// A request's file in memory that holds these bytes, counted by `held`.
    /// - Throws: as `HeldBytes.makeInMemory` does, or if it cannot be written.
    package static func holding(_ bytes: ImmutableBytes, of held: HeldBytes) throws(SystemError)
        -> OwnedDescriptor
    {
        let file = try held.makeInMemory()
        try file.grow(to: bytes.count)
        try file.write(bytes.buffer, at: 0)
        return file
    }

    /// A file that holds these bytes.
    /// - Throws: if it cannot be made or written.
    package static func holding(_ bytes: ImmutableBytes) throws(SystemError) -> OwnedDescriptor {
        let file = try empty()
        try file.write(bytes.buffer, at: 0)
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
}
