// SPDX-License-Identifier: Apache-2.0

/// What lies unread on an idle TLS connection, as far as the records' heads tell (RFC 8446 §5.1): a type, a
/// version, a length of the rest.
///
/// The end of a connection is no answer. TLS 1.2 says of each record what it is. TLS 1.3 calls all of them
/// application data; an alert then has two bytes, one for its real type, and a tag of 16 or 8. Session
/// tickets come before the first answer: the server owes them to the handshake, which was over before the
/// request came.
enum TLSRecords {
    private static let applicationData: UInt8 = 23
    /// An alert's record, without its head.
    private static let alertLengths = [19, 11]

    static func isAnswer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        var alerts = 0
        while let type = rest.first {
            guard type == applicationData else {
                // Not to be read on from a head that is not whole, nor from what is no record.
                guard (20...24).contains(type), let next = skip(rest) else { return false }
                rest = next
                continue
            }
            guard rest.count >= 5 else { return true }
            guard alertLengths.contains(length(rest)) else { return true }
            alerts += 1
            // There is but one last word.
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
