// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1
internal import HTTPSemantics
internal import Kernel

/// A gather list (sendmsg(2), sendfile(2)) of the answers on their way to one socket, in order: runs of bytes
/// that lie in scratch memory, in an answer's own storage, or in a file. Nothing is copied on the way to the
/// kernel.
///
/// Each loop has one outbox, filled and emptied within one iteration. What the socket does not take is moved by `park` to an outbox
/// of the connection.
struct Outbox: ~Copyable {
    enum Result {
        case done
        /// The socket takes no more; epoll tells when it does.
        case blocked
        /// The socket would take more, but other connections should go on.
        case yielded
        case failed
    }

    enum Source { case scratch, memory, file, text }

    struct Segment {
        var source: Source
        var count: Int
        /// The position in the scratch memory or the file.
        var offset = 0
        var pointer: UnsafeRawPointer?
        var descriptor: Int32 = -1
        /// True if the file may have changed since the answer was put together.
        var isUnchecked = false
        /// The text; one of the owners keeps it alive.
        var text: Unmanaged<Base64Text>?
    }

    /// The answer's part of an `ExchangeRecord`.
    struct AnswerRecord {
        var status: Int
        /// Bytes of the content.
        var content = 0
        var tag: UInt16 = 0
        /// When the request was read, in microseconds of `Clock`.
        var started: Int64
        /// The server's ID for the request, used if the client sent none.
        var id = RequestID.none
        /// The notes; one of the owners keeps them alive.
        var notes: Unmanaged<AnyObject>?
    }

    /// The heads that are made for one sending. Written between `begin` and `commit`.
    var scratch: FieldBuffer
    private var scratchStart = 0
    var segments: [Segment] = []
    /// The segment that is sent next.
    private(set) var first = 0
    /// The owners, which keep the segments' storage alive.
    private var owners: [AnyObject] = []
    private var records: PendingRecords
    private(set) var pending = 0
    /// Bytes that the kernel took.
    private(set) var sent = 0

    /// Reserves room for so many bytes of heads, and of methods, targets and IDs, before it grows.
    init(scratch: Int = 4096, notes: Int = 1024) {
        self.scratch = FieldBuffer(capacity: scratch)
        records = PendingRecords(notes: notes)
    }

    var isEmpty: Bool { pending == 0 }

    /// True if the outbox should be sent before it outgrows one call; an answer has up to 3 segments.
    var isFull: Bool { segments.count > Outbox.vectors - 4 || pending > 1 << 20 }

    /// The most segments of one sendmsg(2).
    static let vectors = 64
}

// MARK: Filling

extension Outbox {
    mutating func begin() { scratchStart = scratch.count }

    /// Drops what was written since `begin`.
    mutating func cancel() { scratch.truncate(to: scratchStart) }

    /// Appends the bytes that were written since `begin` to the segments.
    mutating func commit() {
        let count = scratch.count - scratchStart
        append(Segment(source: .scratch, count: count, offset: scratchStart))
    }

    /// `owner` must keep the bytes alive, and must be given to `keep` before or after.
    mutating func append(_ bytes: UnsafeRawPointer, count: Int) {
        append(Segment(source: .memory, count: count, pointer: bytes))
    }

    mutating func append(file: Int32, offset: Int, count: Int) {
        append(Segment(source: .file, count: count, offset: offset, descriptor: file, isUnchecked: true))
    }

    /// `text`, or an object that holds it, must be given to `keep` before or after.
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

    /// Records an answer whose segments are all in the outbox.
    mutating func finish(_ request: borrowing RequestView, _ answer: AnswerRecord) {
        finish(
            method: request.methodBytes, target: request.target,
            name: request.clientID ?? UnsafeRawBufferPointer(start: nil, count: 0), peer: request.peer, answer
        )
    }

    /// Records an answer that was waited for.
    mutating func finish(_ request: Request, _ answer: AnswerRecord) {
        request.method.withFieldBytes { method in
            request.target.withFieldBytes { target in
                request.id.withFieldBytes { name in
                    finish(method: method, target: target, name: name, peer: request.peer, answer)
                }
            }
        }
    }

    /// Records an answer to bytes that were not understood as a request.
    mutating func finish(_ answer: AnswerRecord, to peer: PeerAddress) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        finish(method: nothing, target: nothing, name: nothing, peer: peer, answer)
    }

    private mutating func finish(
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer,
        peer: PeerAddress, _ answer: AnswerRecord
    ) {
        records.append(
            method: method, target: target, name: name, peer: peer, answer, end: sent + pending)
    }
}

// MARK: The files of the owners

extension Outbox {
    func owner(of descriptor: Int32) -> OwnedDescriptor? {
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

    /// Bytes of the answers' files that take room from other files (`OwnedDescriptor.crowdingBytes`).
    var crowdingBytes: Int { owners.reduce(0) { $0 + (Outbox.file(of: $1)?.crowdingBytes ?? 0) } }
}

// MARK: Emptying

extension Outbox {
    /// Records that the kernel has taken `count` further bytes.
    mutating func advance(_ count: Int) {
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

    /// Empties the outbox for the next use, and keeps its memory.
    mutating func reset() {
        segments.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        records.reset()
        scratch.truncate(to: 0)
        (first, pending, sent, scratchStart) = (0, 0, 0, 0)
    }

    /// Moves the unsent part to a new outbox of just that size, and empties this one.
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
    /// Reports every completely sent answer to the handler; with `aborted`, the other answers as well.
    mutating func report(to handler: any RequestHandler, aborted: Bool = false) {
        records.report(to: handler, sent: sent, aborted: aborted)
    }
}
