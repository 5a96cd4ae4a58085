// SPDX-License-Identifier: Apache-2.0

/// The content codings of an original that can be decoded (RFC 9110 §8.4.1).
package enum ContentCoding: UInt8, Sendable, Hashable, CaseIterable {
    /// RFC 1952.
    case gzip = 1
    /// RFC 1950, as specified, or RFC 1951, which many servers send instead.
    case deflate = 2
    /// RFC 7932.
    case brotli = 3
    /// RFC 8878, with windows of 8 MiB at most (RFC 9659).
    case zstd = 4

    /// Codings that change the bytes and cannot be decoded here.
    private static let others: Set = [
        "compress", "x-compress", "exi", "dcb", "dcz", "pack200-gzip", "aes128gcm",
    ]

    /// The one coding in `Content-Encoding`; nil for none.
    ///
    /// Unregistered names are ignored: many stores label plain files "utf-8" or "binary" here.
    /// - Throws: for a coding that cannot be decoded, or for more than one.
    package static func applied(by fields: Fields) throws(UnsupportedCoding) -> ContentCoding? {
        var applied: ContentCoding?
        for name in fields.tokens("content-encoding") {
            guard let coding = ContentCoding(name: name) else {
                if others.contains(name) { throw UnsupportedCoding() }
                continue
            }
            // No server compresses a picture twice, and the limits of size and ratio are meant for one layer.
            guard applied == nil else { throw UnsupportedCoding() }
            applied = coding
        }
        return applied
    }

    private init?(name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "br": self = .brotli
        case "zstd": self = .zstd
        default: return nil
        }
    }

    /// A coding that cannot be decoded here, or several codings.
    package struct UnsupportedCoding: Error {}
}

extension ContentCoding {
    /// The largest accepted ratio of unpacked to packed size. Photographs reach 1, drawings as text up to 50. DEFLATE itself reaches
    /// 1,032, Brotli and Zstandard a hundred times as much.
    private static let ratioLimit = 200
    /// Bytes up to which the ratio is not checked.
    private static let smallSize = 1 << 20

    /// The number of bytes that `length` packed bytes may unpack to; `limit` is the most for any representation.
    package static func unpackedLimit(ofPacked length: Int, limit: Int) -> Int {
        let (product, isLarge) = length.multipliedReportingOverflow(by: ratioLimit)
        return min(limit, isLarge ? limit : max(smallSize, product))
    }
}
