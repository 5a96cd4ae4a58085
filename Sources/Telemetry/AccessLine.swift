// SPDX-License-Identifier: Apache-2.0

/// One line of the access log: what was asked, what was answered, and how that came about.
///
/// The bytes of `peer`, `method` and `target` are as the client sent them and may hold anything; they are
/// only borrowed while the line is written. Nothing that is written can end the line, leave its quotes, or
/// move a terminal's cursor: every byte outside visible ASCII and space is escaped.
package struct AccessLine {
    package enum Format: String, Sendable, CaseIterable { case logfmt, json }

    /// Milliseconds since the epoch, when the answer was complete.
    package var time: Int64
    package var peer: UnsafeRawBufferPointer
    package var method: UnsafeRawBufferPointer
    package var target: UnsafeRawBufferPointer
    package var status: Int
    /// Of the body, as sent.
    package var bytes: Int
    package var microseconds: Int
    package var outcome: String
    package var dialect: String

    package init(
        time: Int64, peer: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer,
        target: UnsafeRawBufferPointer, status: Int, bytes: Int, microseconds: Int, outcome: String,
        dialect: String
    ) {
        self.time = time
        self.peer = peer
        self.method = method
        self.target = target
        self.status = status
        self.bytes = bytes
        self.microseconds = microseconds
        self.outcome = outcome
        self.dialect = dialect
    }

    /// Appends the line with its line feed. A buffer that is emptied and used again does not allocate.
    package func append(as format: Format, to buffer: inout [UInt8]) {
        var line = LineWriter(format: format, bytes: [])
        swap(&line.bytes, &buffer)
        defer { swap(&line.bytes, &buffer) }
        line.begin()
        line.time(time, as: "time")
        line.text(peer, as: "peer")
        line.text(method, as: "method")
        line.text(target, as: "target")
        line.number(status, as: "status")
        line.number(bytes, as: "bytes")
        line.number(microseconds, as: "duration_us")
        var (outcome, dialect) = (outcome, dialect)
        outcome.withUTF8 { line.text(UnsafeRawBufferPointer($0), as: "outcome") }
        dialect.withUTF8 { line.text(UnsafeRawBufferPointer($0), as: "dialect") }
        line.end()
    }
}
