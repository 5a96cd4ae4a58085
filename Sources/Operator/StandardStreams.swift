// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Standard input as the file of a picture or a list, and standard output as the place of a picture.
package enum StandardStreams {
    /// What a command line calls either of them. A file of this name is `./-`.
    package static let name = "-"

    /// True if what is written to standard output appears on a screen.
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Bytes that are read at once.
    private static let piece = 256 << 10

    /// Standard input as a file in memory, or why it cannot be read.
    package struct Input: Sendable {
        private struct Content: Sendable {
            let file: OwnedDescriptor
            let length: Int
        }

        private let content: Result<Content, SystemError>

        /// Reads to the end, or until there are more than `limit` bytes, which the engine then refuses as it refuses a file. Blocks.
        package init(atMost limit: Int) {
            do throws(SystemError) {
                let file = try MemoryFile.empty()
                let length = try StandardStreams.readThrough(atMost: limit) {
                    (piece, offset) throws(SystemError) in
                    try file.write(piece, at: offset)
                }
                content = .success(Content(file: file, length: length))
            } catch {
                content = .failure(error)
            }
        }

        func open() throws(SystemError) -> (OwnedDescriptor, length: Int) {
            let read = try content.get()
            return (read.file, read.length)
        }
    }

    /// The bytes of standard input, to its end, or more than `limit` of them. Blocks.
    package static func bytes(atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            _ = try readThrough(atMost: limit) { (piece, _) throws(SystemError) in bytes += piece }
        } catch {
            throw CommandFailure("\(error)")
        }
        return bytes
    }

    /// Gives what comes to `take`, piece by piece, each with its offset.
    /// - Returns: the number of bytes.
    private static func readThrough(
        atMost limit: Int, _ take: (UnsafeRawBufferPointer, Int) throws(SystemError) -> Void
    ) throws(SystemError) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer { buffer.deallocate() }
        var length = 0
        while length <= limit {
            let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count < 0 {
                try mayGoOn("read", STDIN_FILENO, POLLIN)
                continue
            }
            if count == 0 { break }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), length)
            length += count
        }
        return length
    }

    /// Writes the picture to standard output. Blocks.
    static func write(_ body: Body) throws(SystemError) {
        switch body {
        case .bytes(let bytes): try write(bytes.buffer)
        case .file(let file, let length):
            try file.readThrough(length) { (piece, _) throws(SystemError) in try write(piece) }
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(STDOUT_FILENO, part.baseAddress, part.count)
            if count < 0 {
                try mayGoOn("write", STDOUT_FILENO, POLLOUT)
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Call this right after a call that failed. Waits for the other end where whoever started this command has made the descriptor
    /// non-blocking.
    /// - Throws: unless the call is to be made again.
    private static func mayGoOn(_ call: String, _ descriptor: Int32, _ events: Int32) throws(SystemError) {
        switch errno {
        case EINTR: return
        case EAGAIN:
            var interest = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
            poll(&interest, 1, -1)
        default: throw .last(call)
        }
    }
}
