// SPDX-License-Identifier: Apache-2.0

/// Tells from the heads of TLS records alone whether unread bytes of an idle connection contain an answer (RFC 8446 §5.1: a type,
/// a version, a length).
///
/// The end of a connection is not an answer. TLS 1.2 names the type of each record. TLS 1.3 calls all of them application data;
/// an alert is then two bytes, one for its real type, and a tag of 16 or 8. Session tickets cannot be unread here: the server
/// sends them with the handshake, which was over before the first request.
enum TLSRecords {
    private static let applicationData: UInt8 = 23
    /// Lengths of the record of an encrypted alert in bytes, without the record's head.
    private static let alertLengths = [19, 11]

    static func isAnswer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        var alerts = 0
        while let type = rest.first {
            guard type == applicationData else {
                // An incomplete head, or bytes that are not a record, end the search.
                guard (20...24).contains(type), let next = skip(rest) else { return false }
                rest = next
                continue
            }
            guard rest.count >= 5 else { return true }
            guard alertLengths.contains(length(rest)) else { return true }
            alerts += 1
            // A connection ends with a single alert; a second record is an answer.
            guard alerts == 1 else { return true }
            guard let next = skip(rest) else { return false }
            rest = next
        }
        return false
    }

    private static func length(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let start = bytes.startIndex
        return Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    }

    private static func skip(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        guard bytes.count >= 5, bytes.count >= 5 + length(bytes) else { return nil }
        return bytes.dropFirst(5 + length(bytes))
    }
}
