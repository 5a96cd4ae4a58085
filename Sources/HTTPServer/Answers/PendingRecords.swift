// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1

/// The answers of one outbox that are still to be reported to the handler, each once its last byte is sent.
struct PendingRecords: ~Copyable {
    private struct Exchange {
        /// The end of the answer, counted in all bytes ever put into the outbox.
        var end: Int
        var method: Range<Int>
        var target: Range<Int>
        var name: Range<Int>
        var peer: PeerAddress
        var answer: Outbox.AnswerRecord
    }

    private var exchanges: [Exchange] = []
    private var reported = 0
    /// The methods, targets and IDs of the exchanges.
    private var notes: FieldBuffer

    /// Reserves room for so many bytes of methods, targets and IDs.
    init(notes: Int) { self.notes = FieldBuffer(capacity: notes) }

    /// Bytes of methods, targets and IDs.
    var notesCount: Int { notes.count }

    mutating func append(
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer,
        peer: PeerAddress, _ answer: Outbox.AnswerRecord, end: Int
    ) {
        let method = note(method)
        let target = note(target)
        exchanges.append(
            Exchange(
                end: end, method: method, target: target, name: note(name), peer: peer, answer: answer))
    }

    @inline(__always)
    private mutating func note(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        let start = notes.count
        if !bytes.isEmpty { notes.writeRaw(bytes) }
        return start..<notes.count
    }

    /// - Parameters:
    ///   - sent: bytes that the kernel has taken since the outbox was made.
    ///   - aborted: true to report the unsent answers as well.
    mutating func report(to handler: any RequestHandler, sent: Int, aborted: Bool) {
        guard reported < exchanges.count else { return }
        let now = Clock.microseconds()
        while reported < exchanges.count {
            let exchange = exchanges[reported]
            guard exchange.end <= sent || aborted else { return }
            let missing = max(exchange.end - sent, 0)
            handler.completed(
                ExchangeRecord(
                    peer: exchange.peer,
                    method: UnsafeRawBufferPointer(rebasing: notes.bytes[exchange.method]),
                    target: UnsafeRawBufferPointer(rebasing: notes.bytes[exchange.target]),
                    id: exchange.answer.id,
                    name: UnsafeRawBufferPointer(rebasing: notes.bytes[exchange.name]),
                    status: exchange.answer.status, bodyBytes: max(exchange.answer.content - missing, 0),
                    microseconds: Int(now - exchange.answer.started), tag: exchange.answer.tag,
                    noted: exchange.answer.notes))
            reported += 1
        }
    }

    /// Empties the records for the next use, and keeps their memory.
    mutating func reset() {
        exchanges.removeAll(keepingCapacity: true)
        notes.truncate(to: 0)
        reported = 0
    }

    /// Copies all records to another, which must be empty.
    func copy(to other: inout PendingRecords) {
        other.exchanges = exchanges
        other.reported = reported
        other.notes.writeRaw(notes.bytes)
    }
}
