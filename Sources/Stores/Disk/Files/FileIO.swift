// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Hashing
internal import Kernel

/// Complete reads and writes at offsets of a file.
enum FileIO {
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset + done)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("pwrite") }
            done += count
        }
    }

    static func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(SystemError) {
        // The closure of `withUnsafeBytes` cannot declare the type of its error.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try write(buffer, to: file, at: offset) }
        }
        try result.get()
    }

    /// Copies the first `length` bytes of one file to the start of another, inside the kernel.
    static func copy(_ source: Int32, to target: Int32, length: Int) throws(SystemError) {
        var offset = 0
        while offset < length {
            let count = sendfile(target, source, &offset, length - offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("sendfile") }
            guard count > 0 else {
                throw SystemError("sendfile: the file is shorter than its body", code: EIO)
            }
        }
    }

    /// SHA-256 over `prefix` and the first `length` bytes of the file; nil if they cannot be read.
    static func digest(_ file: Int32, length: Int, prefix: [UInt8] = []) -> Digest? {
        var hash = SHA256()
        prefix.withUnsafeBytes { hash.update($0) }
        guard readPieces(of: file, length: length, { hash.update($0) }) else { return nil }
        return hash.finish()
    }

    /// Reads the first `length` bytes of the file piece by piece; false if they cannot be read.
    private static func readPieces(
        of file: Int32, length: Int, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        let piece = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(max(length, 1), 256 << 10), alignment: 16)
        defer { piece.deallocate() }
        var offset = 0
        while offset < length {
            let count = pread(file, piece.baseAddress, min(piece.count, length - offset), offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += count
        }
        return true
    }

    /// `count` bytes of a file; nil if they cannot be read.
    static func bytes(of file: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                let read = pread(file, rest.baseAddress, count - done, off_t(offset + done))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                done += read
            }
            filled = done
        }
        return done == count ? bytes : nil
    }

    /// Waits until the kernel has the first `length` bytes of a file in memory, because the next reader must not wait. Whether it
    /// has them is tested with one byte in each 64 KiB. If bytes cannot be read, the next reader finds that out.
    static func load(_ file: Int32, length: Int) {
        var byte: UInt8 = 0
        let isLoaded = stride(from: 0, to: length, by: 64 << 10).allSatisfy { offset in
            pictor_read_cached(file, &byte, 1, offset) == 1
        }
        if !isLoaded { _ = readPieces(of: file, length: length) { _ in } }
    }

    /// The footer right behind a body of `length` bytes; nil if the file does not end with it.
    static func footer(_ file: Int32, length: Int) -> Footer? {
        // One byte more is requested, so that the same call checks the file's size.
        withUnsafeTemporaryAllocation(byteCount: Footer.size + 1, alignment: 8) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, length)
            return count == Footer.size ? Footer(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : nil
        }
    }

    /// A body of `length` bytes, if the kernel has it in memory with the footer right behind it, and `check` finds both
    /// right; nil otherwise.
    /// - Parameter check: gets the footer, the bytes of its head, and the body.
    static func cachedBody(
        of file: Int32, length: Int, _ check: (Footer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> ImmutableBytes? {
        // As in `footer`, one byte more is requested.
        ImmutableBytes(capacity: length + Footer.size + 1) { buffer in
            guard let bytes = buffer.baseAddress,
                pictor_read_cached(file, bytes, buffer.count, 0) == buffer.count - 1
            else { return nil }
            let whole = UnsafeRawBufferPointer(rebasing: buffer.dropLast())
            let body = UnsafeRawBufferPointer(rebasing: whole.dropLast(Footer.size))
            let end = UnsafeRawBufferPointer(rebasing: whole.suffix(Footer.size))
            guard let footer = Footer(end),
                check(footer, UnsafeRawBufferPointer(rebasing: end.prefix(Footer.headSize)), body)
            else { return nil }
            return length
        }
    }

    /// The footer at the end of a file of unknown length; nil if it does not fit the file.
    static func lastFooter(_ file: Int32) -> Footer? {
        var status = stat()
        guard fstat(file, &status) == 0, Int(status.st_size) >= Footer.size else { return nil }
        let length = Int(status.st_size) - Footer.size
        return footer(file, length: length).flatMap { $0.length == length ? $0 : nil }
    }
}

extension Body {
    /// SHA-256 over `prefix` and the body; nil if a file cannot be read.
    func digest(prefix: [UInt8]) -> Digest? {
        switch self {
        case .file(let file, let length): return FileIO.digest(file.raw, length: length, prefix: prefix)
        case .bytes(let bytes):
            var hash = SHA256()
            prefix.withUnsafeBytes { hash.update($0) }
            hash.update(bytes.buffer)
            return hash.finish()
        }
    }
}
