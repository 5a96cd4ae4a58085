// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics
internal import Hashing
package import Kernel

/// Where a body goes as it arrives: a buffer, the hash, the file. Never the heap as a whole.
///
/// libcurl hands over at most 16 KB at a time; the buffer makes of most pictures one write(2), and of large
/// ones a quarter of the system calls. Writing happens on the network thread: the file has no name yet and
/// lies in the page cache, so it costs a copy and does not wait for the disk, save when dirty pages are
/// throttled.
package struct BodySink: ~Copyable {
    private var file: OwnedDescriptor
    private var isInMemory = false
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var written = 0
    private let limit: Int
    private var hash = SHA256()

    /// Borrows the buffer, which must outlive it.
    package init(file: OwnedDescriptor, buffer: UnsafeMutableRawBufferPointer, limit: Int) {
        self.file = file
        self.buffer = buffer
        self.limit = limit
    }

    /// Bytes that have come.
    var count: Int { written + filled }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DownloadFailure) {
        guard bytes.count <= limit - count else { throw .tooLarge(limit: limit) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(buffer.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: .init(rebasing: part))
            filled += part.count
            rest = rest.dropFirst(part.count)
            if filled == buffer.count { try flush() }
        }
    }

    package consuming func finish(
        coding: ContentCoding? = nil
    ) throws(DownloadFailure) -> DownloadReply.Payload {
        try flush()
        return DownloadReply.Payload(file: file, length: written, digest: hash.finish(), coding: coding)
    }

    private mutating func flush() throws(DownloadFailure) {
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        hash.update(rest)
        while !rest.isEmpty {
            let count = pwrite(file.raw, rest.baseAddress, rest.count, off_t(written))
            if count > 0 {
                written += count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if count == 0 || errno != EINTR {
                try moveToMemory(because: .last("pwrite"))
            }
        }
        filled = 0
    }

    /// A disk that has become full in the middle of a body costs its keeping and not the answer.
    private mutating func moveToMemory(because error: SystemError) throws(DownloadFailure) {
        guard !isInMemory, let bytes = file.bytes(count: written) else { throw .fileWrite(error) }
        do throws(SystemError) {
            file = try MemoryFile.descriptor(of: .bytes(bytes))
        } catch {
            throw .fileWrite(error)
        }
        isInMemory = true
    }
}
