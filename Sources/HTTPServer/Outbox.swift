// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import HTTP1
internal import Kernel

/// A gather list (sendmsg(2), sendfile(2)) of the answers on their way to one socket, in order: runs of bytes
/// that lie in scratch memory, in an answer's own storage, or in a file. Nothing is copied on the way to the
/// kernel.
///
/// Each loop has one, filled and emptied within one iteration. What the socket does not take is moved by `park` to one
/// that the connection keeps.
struct Outbox: ~Copyable {
    enum Result {
        case done
        /// The socket takes no more; epoll tells when it does.
        case blocked
        /// The socket would take more, but other connections should go on.
        case yielded
        case failed
    }

    private enum Source { case scratch, memory, file, text }

    private struct Segment {
        var source: Source
        var count: Int
        /// Into the scratch memory or the file.
        var offset = 0
        var pointer: UnsafeRawPointer?
        var descriptor: Int32 = -1
        /// A file that may have been changed since the answer was put together.
        var isUnchecked = false
        /// One of the owners keeps it alive.
        var text: Unmanaged<Base64Text>?
    }

    /// An answer's part of its `ExchangeRecord`.
    struct AnswerRecord {
        var status: Int
        /// Bytes of its body.
        var content = 0
        var tag: UInt16 = 0
        /// When its request was read, in microseconds.
        var started: Int64
        /// The server's name of the request, where the client gave it none.
        var id = RequestID.none
        /// One of the owners keeps them alive.
        var notes: Unmanaged<AnyObject>?
    }

    /// Heads that are made for one sending. Write between `begin` and `commit`.
    var scratch: FieldBuffer
    private var scratchStart = 0
    private var segments: [Segment] = []
    private var first = 0
    /// Keeps the segments' storage alive.
    private var owners: [AnyObject] = []
    private var records: PendingRecords
    private(set) var pending = 0
    /// Bytes that the kernel took.
    private(set) var sent = 0

    /// With room for so many bytes of heads, and of methods and targets, before it grows.
    init(scratch: Int = 4096, notes: Int = 1024) {
        self.scratch = FieldBuffer(capacity: scratch)
        records = PendingRecords(notes: notes)
    }

    var isEmpty: Bool { pending == 0 }

    /// A batch is sent before it outgrows one call; 3 segments an answer.
    var isFull: Bool { segments.count > Outbox.vectors - 4 || pending > 1 << 20 }

    private static let vectors = 64

    /// Bytes of one `send`. A reader on the same machine can take a large file as fast as it is sent.
    private static let bytesAtOnce = 2 << 20
    /// Bytes of text that are sent at once; the text is made meanwhile.
    private static let textAtOnce = 256 << 10
    /// Bytes of text that are made at a time, and again as far as the socket did not take them.
    private static let textPiece = 64 << 10
}

// MARK: Filling

extension Outbox {
    mutating func begin() { scratchStart = scratch.count }

    /// Forgets what was written since `begin`.
    mutating func cancel() { scratch.truncate(to: scratchStart) }

    /// Appends the bytes that were written since `begin` to the segments.
    mutating func commit() {
        let count = scratch.count - scratchStart
        append(Segment(source: .scratch, count: count, offset: scratchStart))
    }

    /// `owner` keeps the bytes alive; it was, or will be, given to `keep`.
    mutating func append(_ bytes: UnsafeRawPointer, count: Int) {
        append(Segment(source: .memory, count: count, pointer: bytes))
    }

    mutating func append(file: Int32, offset: Int, count: Int) {
        append(Segment(source: .file, count: count, offset: offset, descriptor: file, isUnchecked: true))
    }

    /// `text`, or who holds it, was or will be given to `keep`.
    mutating func append(_ text: Base64Text, offset: Int, count: Int) {
        append(
            Segment(
                source: .text, count: count, offset: offset, isUnchecked: true, text: .passUnretained(text)))
    }

    mutating func keep(_ owner: AnyObject) { owners.append(owner) }

    private mutating func append(_ segment: Segment) {
        guard segment.count > 0 else { return }
        segments.append(segment)
        pending += segment.count
    }

    /// Everything of one answer is in.
    /// - Parameter name: the client's own of the request; may be empty.
    mutating func finish(
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer,
        peer: PeerAddress, _ answer: AnswerRecord
    ) {
        records.append(
            method: method, target: target, name: name, peer: peer, answer, end: sent + pending)
    }
}

// MARK: Sending

extension Outbox {
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
            // 0: a file that is shorter than it was said to be; the rest of the answer cannot be made up.
            case 0...: return .failed
            default: advance(count)
            }
        }
        return .done
    }

    /// The number of bytes, or errno(3) below zero.
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

    /// False before the first byte of a file that is not as its store has verified it, or that cannot be looked at.
    private mutating func mayBegin(_ file: OwnedDescriptor?) -> Bool {
        guard segments[first].isUnchecked else { return true }
        // Its state might have to be asked for.
        if file?.isOnHangingDisk ?? false { return false }
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

    /// Sends what the kernel has of a file in memory, whose disk hangs: sendfile(2) would wait for the rest, and all clients of the
    /// loop with it. Where it has nothing, the answer is broken off, and its file is not to blame.
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

    private func owner(of descriptor: Int32) -> OwnedDescriptor? {
        for owner in owners {
            if let file = Outbox.file(of: owner), file.raw == descriptor { return file }
        }
        return nil
    }

    private static func file(of owner: AnyObject) -> OwnedDescriptor? {
        switch owner {
        case let file as OwnedDescriptor: file
        case let answer as ReadyAnswer: answer.file
        case let text as Base64Text: text.file
        default: nil
        }
    }

    /// Bytes of the answers' files that take room from others (`OwnedDescriptor.crowdingBytes`).
    var crowdingBytes: Int { owners.reduce(0) { $0 + (Outbox.file(of: $1)?.crowdingBytes ?? 0) } }

    /// Whether sendfile(2) blames the socket: its peer has gone, or the way to it. What it says of a file is
    /// EIO, or the file system's own (ESTALE, EUCLEAN, EBADMSG).
    private static func isSockets(_ code: Int32) -> Bool {
        switch code {
        case EAGAIN, EINTR, EPIPE, ECONNRESET, ECONNABORTED, ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH,
            ENETDOWN, EHOSTDOWN, ENOBUFS, ENOMEM, EACCES, EPERM:
            true
        default: false
        }
    }

    private mutating func advance(_ count: Int) {
        sent += count
        pending -= count
        var left = count
        while left > 0 {
            let taken = min(left, segments[first].count)
            left -= taken
            segments[first].count -= taken
            segments[first].offset += taken
            segments[first].pointer = segments[first].pointer.map { $0 + taken }
            if segments[first].count == 0 { first += 1 }
        }
    }

    /// Ready to be filled again, with what it has allocated.
    mutating func reset() {
        segments.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        records.reset()
        scratch.truncate(to: 0)
        (first, pending, sent, scratchStart) = (0, 0, 0, 0)
    }

    /// Moves what is left to an outbox of its own, no larger than that; this one is then as new.
    mutating func park() -> Outbox {
        let heads = segments[first...].reduce(0) { $0 + ($1.source == .scratch ? $1.count : 0) }
        var parked = Outbox(scratch: heads, notes: records.notesCount)
        for var segment in segments[first...] {
            if segment.source == .scratch {
                let end = segment.offset + segment.count
                let bytes = UnsafeRawBufferPointer(rebasing: scratch.bytes[segment.offset..<end])
                segment.offset = parked.scratch.count
                parked.scratch.writeRaw(bytes)
            }
            parked.segments.append(segment)
        }
        parked.owners = owners
        records.copy(to: &parked.records)
        parked.pending = pending
        parked.sent = sent
        reset()
        return parked
    }
}

// MARK: Reporting

extension Outbox {
    /// Tells the handler of every answer whose last byte is gone; with `aborted`, of the others as well.
    mutating func report(to handler: any RequestHandler, aborted: Bool = false) {
        records.report(to: handler, sent: sent, aborted: aborted)
    }
}
