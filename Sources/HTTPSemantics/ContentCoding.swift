// SPDX-License-Identifier: Apache-2.0

/// How the bytes of a representation were packed on their way (RFC 9110 §8.4.1).
package enum ContentCoding: UInt8, Sendable, Hashable, CaseIterable {
    /// RFC 1952.
    case gzip = 1
    /// RFC 1950, which is meant, or RFC 1951, which many servers send instead.
    case deflate = 2

    /// Codings that change the bytes and are not taken.
    private static let others: Set = [
        "br", "zstd", "compress", "x-compress", "exi", "dcb", "dcz", "pack200-gzip", "aes128gcm",
    ]

    /// The one coding that these fields name, or nil for none.
    ///
    /// Names that nobody has registered count for nothing: many stores label plain files "utf-8" or "binary" here.
    /// - Throws: where there is one that is not taken, or more than one.
    package static func applied(by fields: Fields) throws(NotTaken) -> ContentCoding? {
        guard let value = fields.combined("content-encoding") else { return nil }
        var applied: ContentCoding?
        for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            let name = name.lowercased()
            guard let coding = ContentCoding(name: name) else {
                if others.contains(name) { throw NotTaken() }
                continue
            }
            // No server packs a picture twice; the limits of size and ratio hold for one layer.
            guard applied == nil else { throw NotTaken() }
            applied = coding
        }
        return applied
    }

    private init?(name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }

    package struct NotTaken: Error {}
}

extension ContentCoding {
    /// Times its packed size that a representation may have; photographs have 1, drawings as text up to 50. DEFLATE
    /// itself goes to 1,032.
    private static let ratioLimit = 200
    /// Bytes below which the ratio says nothing.
    private static let smallSize = 1 << 20

    /// Bytes that so many may unpack to, of `limit` that any representation may have.
    package static func unpackedLimit(ofPacked length: Int, limit: Int) -> Int {
        let (product, isLarge) = length.multipliedReportingOverflow(by: ratioLimit)
        return min(limit, isLarge ? limit : max(smallSize, product))
    }
}
