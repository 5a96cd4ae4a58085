// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

/// The `Date` field (RFC 9110 §5.6.7, §6.6.1), rendered once a second.
struct DateLine: ~Copyable {
    private var second = Int64.min
    private var buffer = FieldBuffer(capacity: 64)

    /// Writes "Date: Sun, 06 Nov 1994 08:49:37 GMT" and CRLF.
    mutating func write(at now: Timestamp, into target: inout FieldBuffer) {
        if now.seconds != second {
            second = now.seconds
            buffer.truncate(to: 0)
            buffer.open("Date")
            withUnsafeTemporaryAllocation(byteCount: HTTPDate.length, alignment: 1) { date in
                HTTPDate.write(now, to: date)
                buffer.writeRaw(UnsafeRawBufferPointer(date))
            }
            buffer.close()
        }
        target.writeRaw(buffer.bytes)
    }
}
