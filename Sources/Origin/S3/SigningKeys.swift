// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
internal import Synchronization

/// Remembers the signing keys of the day: deriving one from a secret takes four HMACs, and a key signs every request of its day.
///
/// **Isolation:** a `Mutex` guards the list.
enum SigningKeys {
    private struct Entry: Sendable {
        let secret: String
        let day: String
        let region: String
        let service: String
        let key: [UInt8]
    }

    /// The most keys that are remembered: one for each pair of credentials and region in use, and two around midnight.
    static let limit = 8

    private static let entries = Mutex<[Entry]>([])

    static func key(_ secret: String, day: String, region: String, service: String) -> [UInt8] {
        let held = entries.withLock { entries in
            entries.first { entry in
                entry.day == day && entry.region == region && entry.service == service
                    && entry.secret == secret
            }?.key
        }
        if let held { return held }
        let key = [day, region, service, "aws4_request"].reduce(Array("AWS4\(secret)".utf8)) { key, text in
            MessageCode.of(Array(text.utf8), key: key).bytes
        }
        let entry = Entry(secret: secret, day: day, region: region, service: service, key: key)
        entries.withLock { $0 = $0.suffix(limit - 1) + [entry] }
        return key
    }
}
