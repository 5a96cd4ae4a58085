// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// The shared store's record of an original without its bytes, as metadata of an entry.
extension SharedOriginal {
    /// The metadata that `init(metadata:)` reads.
    var metadata: [UInt8] {
        var writer = MetadataWriter()
        writer.write(key.text)
        writer.write(digest.digest)
        writer.write(Int64(clamping: length))
        writer.write(lastModified?.milliseconds ?? .min)
        writer.write(freshness.responseTime.milliseconds)
        for number in [
            freshness.initialAge, freshness.lifetime, freshness.clientLifetime,
            freshness.staleWhileRevalidate,
            freshness.staleIfError,
        ] {
            writer.write(Int64(number))
        }
        writer.write(Int64(freshness.flags.rawValue))
        writer.write(fields.serialized)
        return writer.bytes
    }

    /// Nil if the bytes are not in the form of `metadata`.
    init?(metadata: [UInt8]) {
        var reader = MetadataReader(metadata)
        guard let key = reader.text(), let digest = reader.digest(), let length = reader.number(),
            let modified = reader.number(), let responseTime = reader.number(),
            let initialAge = reader.number().flatMap(Int32.init(exactly:)),
            let lifetime = reader.number().flatMap(Int32.init(exactly:)),
            let clientLifetime = reader.number().flatMap(Int32.init(exactly:)),
            let whileRevalidate = reader.number().flatMap(Int32.init(exactly:)),
            let ifError = reader.number().flatMap(Int32.init(exactly:)),
            let flags = reader.number().flatMap(UInt16.init(exactly:)), let text = reader.text(),
            reader.isAtEnd, let length = Int(exactly: length), length >= 0
        else { return nil }
        // An origin may have sent none of the stored fields.
        guard let fields = text.isEmpty ? StoredFields(Fields()) : StoredFields(serialized: text) else {
            return nil
        }
        self.init(
            key: OriginalKey(text: key), digest: OriginalDigest(digest), length: length,
            lastModified: modified == .min ? nil : Timestamp(milliseconds: modified),
            freshness: Freshness(
                responseTime: Timestamp(milliseconds: responseTime), initialAge: initialAge,
                lifetime: lifetime, clientLifetime: clientLifetime, staleWhileRevalidate: whileRevalidate,
                staleIfError: ifError, flags: Freshness.Flags(rawValue: flags)), fields: fields)
    }
}

extension Rendition {
    /// The metadata that `init(metadata:_:length:)` reads.
    var metadata: [UInt8] {
        var writer = MetadataWriter()
        for number in [Int(format.rawValue), width, height, pages] { writer.write(Int64(clamping: number)) }
        return writer.bytes
    }

    /// Nil if the bytes are not in the form of `metadata`.
    init?(metadata: [UInt8], _ key: RenditionKey, length: Int) {
        var reader = MetadataReader(metadata)
        let side = 0...Int64(UInt32.max)
        guard let format = reader.number().flatMap(UInt8.init(exactly:)).flatMap(ImageFormat.init),
            let width = reader.number(), let height = reader.number(), let pages = reader.number(),
            reader.isAtEnd, side.contains(width), side.contains(height), side.contains(pages)
        else { return nil }
        self.init(
            key: key, format: format, width: Int(clamping: width), height: Int(clamping: height),
            pages: Int(clamping: pages), length: length)
    }
}

/// Writes numbers in eight bytes, little-endian, and texts with their length in front.
private struct MetadataWriter {
    var bytes: [UInt8] = []

    mutating func write(_ number: Int64) { bytes.append(littleEndian: number) }

    mutating func write(_ text: String) {
        write(Int64(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func write(_ digest: Digest) { bytes += digest.bytes }
}

/// Reads what `MetadataWriter` writes, piece by piece; nil if the next piece is missing or of another kind.
private struct MetadataReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> Int64? {
        take(8).map { bytes in
            // Cannot trap: each element is a byte.
            Int64(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    mutating func text() -> String? {
        guard let count = number().flatMap(Int.init(exactly:)), let bytes = take(count) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func digest() -> Digest? { take(32).flatMap { Digest($0) } }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
