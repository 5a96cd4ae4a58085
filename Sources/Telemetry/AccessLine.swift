// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// One line of the access log: the request, its answer, and how the answer came about.
///
/// `peer`, `method` and `target` are bytes from the client and may hold anything; they are borrowed while the
/// line is written. No byte of them can end the line, leave its quotes, move a terminal's cursor, or give the rest of a long
/// line a priority of its own in the journal: every byte outside visible ASCII and space is escaped, and "<".
package struct AccessLine {
    /// The format of a line.
    package enum Format: String, Sendable, CaseIterable { case logfmt, json }

    /// Milliseconds since 1970, when the answer was complete.
    package var time: Int64
    /// The request's ID.
    package var id: UnsafeRawBufferPointer
    /// The client's address, with or without a port.
    package var peer: UnsafeRawBufferPointer
    /// The request's method, as sent.
    package var method: UnsafeRawBufferPointer
    /// The request's target, as sent.
    package var target: UnsafeRawBufferPointer
    /// The HTTP status.
    package var status: Int
    /// Bytes of the body that were sent.
    package var bytes: Int
    /// Microseconds from the end of the request's head to the last byte of the answer.
    package var microseconds: Int
    /// The outcome's name.
    package var outcome: String
    /// The dialect's name.
    package var dialect: String
    /// The stable code of a refusal; nil for other answers.
    package var error: String?
    /// The rendition's key; nil for an answer without a rendition.
    package var key: Digest?
    /// The ID of the trace that has the request's spans; nil if the trace is not kept.
    package var trace: String?
    /// Microseconds of each stage that took any, by the stage's name in the line.
    package var stages: [(name: StaticString, microseconds: Int)] = []
    /// The number of exchanges for which this line stands, if lines are sampled.
    package var sample = 1
    /// Lines that were left out before this one, because the limit per second was reached.
    package var leftOut = 0

    /// The buffers must outlive the line.
    package init(
        time: Int64, id: UnsafeRawBufferPointer, peer: UnsafeRawBufferPointer,
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, status: Int, bytes: Int,
        microseconds: Int, outcome: String, dialect: String, error: String? = nil
    ) {
        self.time = time
        self.id = id
        self.peer = peer
        self.method = method
        self.target = target
        self.status = status
        self.bytes = bytes
        self.microseconds = microseconds
        self.outcome = outcome
        self.dialect = dialect
        self.error = error
    }

    /// Appends the line and a line feed. The values of secret parameters are replaced. Allocates nothing if the buffer has room.
    package func append(as format: Format, hiding secrets: SecretParameters, to buffer: inout [UInt8]) {
        var line = LineWriter(format: format, bytes: [])
        swap(&line.bytes, &buffer)
        defer { swap(&line.bytes, &buffer) }
        line.begin()
        line.time(time, as: "time")
        line.text(id, as: "request")
        line.text(peer, as: "peer")
        line.text(method, as: "method")
        line.target(target, as: "target", hiding: secrets)
        line.number(status, as: "status")
        line.number(bytes, as: "bytes")
        line.number(microseconds, as: "duration_us")
        line.text(outcome, as: "outcome")
        line.text(dialect, as: "dialect")
        if let error { line.text(error, as: "error") }
        if let key { line.digest(key, as: "key") }
        if let trace { line.text(trace, as: "trace") }
        for stage in stages { line.number(stage.microseconds, as: stage.name) }
        if sample > 1 { line.number(sample, as: "sample") }
        if leftOut > 0 { line.number(leftOut, as: "left_out") }
        line.end()
    }
}
