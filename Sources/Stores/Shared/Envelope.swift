// SPDX-License-Identifier: Apache-2.0
//
// A large original is stored in the shared store unchanged, with nothing around it: its digest is its name. Every other object is
// a body, at offset 0 as in a file of the disk cache, the metadata behind it, and 64 bytes (numbers are little-endian):
//
//      0  8  magic, "\x89PICOBJ\n"
//      8  1  version: 2, or 1 for an object without a body
//      9  1  kind: 1 entry, 3 rendition
//     10  2  0
//     12  4  length of the metadata
//     16  8  length of the body
//     24  8  when it was written, in milliseconds since 1970
//     32 32  checksum: SHA-256 over its name, a zero byte, the SHA-256 of the body (version 1: the body), and everything
//            between body and this field, so that no other object, and no object under another name, can take its place
//
// Version 2 lets a writer read the body once, for this checksum and for the digest that the store gets. A node that only knows
// version 1 takes an object of version 2 for damaged, and so for missing. Entries of version 1 have no body.

internal import Bytes
internal import Hashing
internal import HTTPSemantics
internal import Kernel

/// The header and the trailer of a body in the shared store.
struct Envelope: Sendable, Equatable {
    /// The length of the trailer at the end of an object, in bytes.
    static let trailerSize = 64
    /// The most bytes of metadata; Pictor never writes more, because URLs and fields of origins are limited.
    static let longestMetadata = 256 << 10
    private static let magic: [UInt8] = [0x89, 0x50, 0x49, 0x43, 0x4F, 0x42, 0x4A, 0x0A]

    var metadata: [UInt8]
    /// The body's length in bytes.
    var bodyLength: Int
    /// SHA-256 of the body; nil for version 1.
    var bodyDigest: Digest?
    var written: Timestamp

    // MARK: Writing

    /// Makes an object from a body, which may be empty, and metadata: body, metadata, trailer. Also returns the object's SHA-256.
    ///
    /// - Parameters:
    ///   - digest: the digest that the body must have; nil if unknown.
    ///   - read: fills the storage with the body; false if the body is not available.
    /// - Returns: nil if the body is not available or has another digest.
    static func seal(
        _ length: Int, _ digest: Digest? = nil, _ metadata: [UInt8], as name: ObjectName, at time: Timestamp,
        reading read: (UnsafeMutableRawBufferPointer) -> Bool
    ) -> (object: ImmutableBytes, digest: Digest)? {
        var whole: Digest?
        let object = ImmutableBytes(capacity: length + metadata.count + trailerSize) { storage in
            let body = UnsafeMutableRawBufferPointer(rebasing: storage.prefix(length))
            guard read(body) else { return nil }
            var hash = SHA256()
            hash.update(UnsafeRawBufferPointer(body))
            let bodyDigest = length > 0 ? hash.digest : nil
            guard digest == nil || digest == bodyDigest else { return nil }
            let end = end(length, bodyDigest, metadata, as: name, at: time)
            UnsafeMutableRawBufferPointer(rebasing: storage.dropFirst(length)).copyBytes(from: end)
            end.withUnsafeBytes { hash.update($0) }
            whole = hash.finish()
            return storage.count
        }
        guard let object, let whole else { return nil }
        return (object, whole)
    }

    /// The metadata and the trailer.
    private static func end(
        _ length: Int, _ bodyDigest: Digest?, _ metadata: [UInt8], as name: ObjectName, at time: Timestamp
    ) -> [UInt8] {
        var bytes = metadata
        bytes.reserveCapacity(metadata.count + trailerSize)
        let version = length > 0 ? Version.second : .first
        bytes += magic + [version.rawValue, name.kind.rawValue, 0, 0]
        bytes.append(littleEndian: UInt32(clamping: metadata.count))
        bytes.append(littleEndian: UInt64(clamping: length))
        bytes.append(littleEndian: time.milliseconds)
        bytes += checksum(name, bodyDigest, bytes[...]).bytes
        return bytes
    }

    private static func prefix(of name: ObjectName) -> [UInt8] { Array(name.text.utf8) + [0] }

    /// - Parameters:
    ///   - bodyDigest: nil for version 1.
    ///   - rest: everything between the body and the checksum; for version 1 including the body.
    private static func checksum(
        _ name: ObjectName, _ bodyDigest: Digest?, _ rest: ArraySlice<UInt8>
    ) -> Digest {
        var hash = SHA256()
        (prefix(of: name) + (bodyDigest?.bytes ?? [])).withUnsafeBytes { hash.update($0) }
        rest.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    // MARK: Reading

    /// Reads and checks an object in a file; nil unless it is complete and belongs to this name.
    ///
    /// Reads the whole file once, which has just arrived from the network.
    static func open(_ file: OwnedDescriptor, length: Int, as name: ObjectName) -> Envelope? {
        open(length: length, as: name) { offset, count in
            FileIO.bytes(of: file.raw, at: offset, count: count)
        } hash: { count, prefix in
            FileIO.digest(file.raw, length: count, prefix: prefix)
        }
    }

    /// Reads and checks an object in memory, as the other `open` does in a file.
    static func open(_ object: [UInt8], as name: ObjectName) -> Envelope? {
        open(length: object.count, as: name) { offset, count in
            Array(object.dropFirst(offset).prefix(count))
        } hash: { count, prefix in
            SHA256.digest(of: prefix + object.prefix(count))
        }
    }

    /// - Parameters:
    ///   - read: reads `count` bytes from an offset within the object; nil if they cannot be read.
    ///   - hash: computes the SHA-256 over a prefix and the first `count` bytes of the object.
    private static func open(
        length: Int, as name: ObjectName, read: (_ offset: Int, _ count: Int) -> [UInt8]?,
        hash: (_ count: Int, _ prefix: [UInt8]) -> Digest?
    ) -> Envelope? {
        guard length >= trailerSize else { return nil }
        let start = length - trailerSize
        guard let bytes = read(start, trailerSize),
            let trailer = Trailer(bytes, kind: name.kind), trailer.metadataLength <= longestMetadata,
            trailer.bodyLength <= start, trailer.bodyLength + trailer.metadataLength == start,
            let metadata = read(trailer.bodyLength, trailer.metadataLength)
        else { return nil }
        var bodyDigest: Digest?
        switch trailer.version {
        case .first:
            guard hash(length - 32, prefix(of: name)) == trailer.checksum else { return nil }
        case .second:
            bodyDigest = hash(trailer.bodyLength, [])
            guard let bodyDigest,
                checksum(name, bodyDigest, metadata[...] + bytes.dropLast(32)) == trailer.checksum
            else { return nil }
        }
        return Envelope(
            metadata: metadata, bodyLength: trailer.bodyLength, bodyDigest: bodyDigest,
            written: trailer.written)
    }

    private enum Version: UInt8 {
        case first = 1
        case second = 2
    }

    private struct Trailer {
        let version: Version
        let metadataLength: Int
        let bodyLength: Int
        let written: Timestamp
        let checksum: Digest

        init?(_ bytes: [UInt8], kind: ObjectKind) {
            let read = bytes.withUnsafeBytes { buffer in
                (
                    UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
                    UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
                    Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 24, as: Int64.self))
                )
            }
            guard bytes.starts(with: Envelope.magic), bytes.dropFirst(9).starts(with: [kind.rawValue, 0, 0]),
                let version = bytes.dropFirst(8).first.flatMap(Version.init),
                let metadataLength = Int(exactly: read.0), let bodyLength = Int(exactly: read.1),
                let checksum = Digest(bytes.suffix(32))
            else { return nil }
            self.version = version
            self.metadataLength = metadataLength
            self.bodyLength = bodyLength
            written = Timestamp(milliseconds: read.2)
            self.checksum = checksum
        }
    }
}
