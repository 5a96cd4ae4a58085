// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Hashing
package import HTTPSemantics
package import Kernel

/// Streams a response body through a buffer into the hash and the file; the whole body is never on the heap.
///
/// libcurl hands over at most 16 KB at a time. With the buffer, most pictures take one write(2), and large ones a quarter of the
/// system calls. Writing happens on the network thread: the file has no name yet and lies in the page cache, so a write costs a
/// copy and waits for the disk only while dirty pages are throttled.
package struct BodySink: ~Copyable {
    private var file: OwnedDescriptor
    private var isInMemory = false
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var written = 0
    private let limit: Int
    private var hash = SHA256()

    /// Borrows the buffer, which must outlive the sink. `limit` is in bytes.
    package init(file: OwnedDescriptor, buffer: UnsafeMutableRawBufferPointer, limit: Int) {
        self.file = file
        self.buffer = buffer
        self.limit = limit
    }

    /// Bytes received.
    var count: Int { written + filled }

    /// Takes the next bytes of the body.
    /// - Throws: `tooLarge` beyond the limit; `overloaded` if too many bytes are held; `fileWrite` if neither the disk nor memory
    ///   can take the body.
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

    /// Writes out the buffer and gives the complete body.
    /// - Throws: `overloaded` and `fileWrite`, as `append` does.
    package consuming func finish(
        coding: ContentCoding? = nil
    ) throws(DownloadFailure) -> DownloadReply.Payload {
        try flush()
        return DownloadReply.Payload(file: file, length: written, digest: hash.finish(), coding: coding)
    }

    private mutating func flush() throws(DownloadFailure) {
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        hash.update(rest)
        do throws(SystemError) { try file.grow(to: written + filled) } catch { throw .withoutFile(error) }
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

    /// Moves the body to a file in memory because the disk is full. The picture is not kept, but can still be sent.
    private mutating func moveToMemory(because error: SystemError) throws(DownloadFailure) {
        guard !isInMemory, let bytes = file.bytes(count: written) else { throw .fileWrite(error) }
        do throws(SystemError) {
            let room = written + filled
            if let held = file.held {
                file = try MemoryFile.holding(bytes, of: held)
            } else {
                file = try MemoryFile.descriptor(of: .bytes(bytes))
            }
            try file.grow(to: room)
        } catch {
            throw .withoutFile(error)
        }
        isInMemory = true
    }
}
