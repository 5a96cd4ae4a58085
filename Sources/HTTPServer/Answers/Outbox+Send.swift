// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP1
internal import Kernel

/// How an outbox is sent, by the kind of its next segment.
extension Outbox {
    /// Bytes of one `send`, bounded because a reader on the same machine can take a large file as fast as it is sent.
    private static let bytesAtOnce = 2 << 20
    /// Bytes of text in one `send`, fewer because the text is encoded meanwhile.
    private static let textAtOnce = 256 << 10
    /// Bytes of text that are encoded at a time. What the socket does not take is encoded again later.
    private static let textPiece = 64 << 10

    mutating func send(to socket: Int32) -> Result {
        let stop = sent + Outbox.bytesAtOnce
        var text = 0
        while pending > 0 {
            guard sent < stop, text < Outbox.textAtOnce else { return .yielded }
            let count: Int
            switch segments[first].source {
            case .scratch, .memory: count = sendMemory(to: socket)
            case .file: count = sendFile(to: socket)
            case .text:
                count = sendText(to: socket)
                text += max(count, 0)
            }
            switch -count {
            case Int(EINTR): continue
            case Int(EAGAIN): return .blocked
            // 0: the file is shorter than announced, and the rest of the answer cannot be made up.
            case 0...: return .failed
            default: advance(count)
            }
        }
        return .done
    }

    /// Returns the number of bytes sent, or the negative errno(3).
    private func sendMemory(to socket: Int32) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Outbox.vectors) { vectors in
            var index = first
            var filled = 0
            while index < segments.count, filled < vectors.count,
                segments[index].source == .scratch || segments[index].source == .memory
            {
                let segment = segments[index]
                let base = segment.pointer ?? scratch.bytes.baseAddress.map { $0 + segment.offset }
                let vector = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: base), iov_len: segment.count)
                vectors.initializeElement(at: filled, to: vector)
                index += 1
                filled += 1
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = filled
            // The head of a file's answer should share a packet with its body.
            let more = index < segments.count ? Int32(MSG_MORE) : 0
            let count = sendmsg(socket, &message, Int32(MSG_NOSIGNAL) | more)
            return count < 0 ? -Int(errno) : count
        }
    }

    /// False if the first byte of a file must not be sent, because the file is not as its store has verified it, or cannot be
    /// checked.
    private mutating func mayBegin(_ file: OwnedDescriptor?) -> Bool {
        guard segments[first].isUnchecked else { return true }
        // A stored file's state must be asked of the disk, which hangs. A file that was just made is in no store, and has no state.
        if let file, file.state != nil, file.isOnHangingDisk { return false }
        segments[first].isUnchecked = false
        guard let file, file.isAltered else { return true }
        file.cannotBeRead(SystemError("send: the file was altered", code: EIO))
        return false
    }

    private mutating func sendFile(to socket: Int32) -> Int {
        let owner = owner(of: segments[first].descriptor)
        guard mayBegin(owner) else { return 0 }
        if owner?.isOnHangingDisk ?? false { return sendCached(to: socket) }
        var offset = off_t(segments[first].offset)
        let limit = min(segments[first].count, Outbox.bytesAtOnce)
        let count = sendfile(socket, segments[first].descriptor, &offset, limit)
        if count > 0 { return count }
        let code = count < 0 ? errno : 0
        if count == 0 {
            owner?.cannotBeRead(SystemError("sendfile: the file ends too early", code: EIO))
        } else if !Outbox.isSockets(code) {
            owner?.cannotBeRead(SystemError("sendfile", code: code))
        }
        return -Int(code)
    }

    /// Sends the part of a file that is in the kernel's page cache, because its disk hangs: sendfile(2) would wait for the disk, and
    /// all clients of the loop with it. If nothing is cached, the answer is broken off without blaming the file.
    private func sendCached(to socket: Int32) -> Int {
        let segment = segments[first]
        return withUnsafeTemporaryAllocation(
            byteCount: min(segment.count, Outbox.textPiece), alignment: 16
        ) { piece in
            guard let bytes = piece.baseAddress else { return 0 }
            let read = pictor_read_cached(segment.descriptor, bytes, piece.count, off_t(segment.offset))
            guard read > 0 else { return 0 }
            let count = Glibc.send(socket, bytes, read, Int32(MSG_NOSIGNAL))
            return count < 0 ? -Int(errno) : count
        }
    }

    private mutating func sendText(to socket: Int32) -> Int {
        guard let text = segments[first].text?.takeUnretainedValue(), mayBegin(text.file) else { return 0 }
        let left = segments[first].count
        let piece = min(left, Outbox.textPiece)
        let more = left > piece || first + 1 < segments.count ? Int32(MSG_MORE) : 0
        do throws(SystemError) {
            return try text.withBytes(from: segments[first].offset, count: piece) { bytes in
                let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | more)
                return count < 0 ? -Int(errno) : count
            }
        } catch {
            return 0
        }
    }

    /// True if an error of sendfile(2) concerns the socket: its peer has gone, or the way to it. Errors of a file are EIO, or those
    /// of its file system (ESTALE, EUCLEAN, EBADMSG).
    private static func isSockets(_ code: Int32) -> Bool {
        switch code {
        case EAGAIN, EINTR, EPIPE, ECONNRESET, ECONNABORTED, ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH,
            ENETDOWN, EHOSTDOWN, ENOBUFS, ENOMEM, EACCES, EPERM:
            true
        default: false
        }
    }
}
