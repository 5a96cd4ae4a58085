// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPCaching
import HTTPSemantics
import Hashing
import ImageHeaders
import Kernel
import Pipeline
import RandomInputs
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("Objects of the shared store are whole and their own, or nothing")
struct EnvelopeTests {
    private static let time = Timestamp(milliseconds: 1_732_545_257_123)
    private static let name = ObjectName.rendition(Picture.renditionKey(1), of: Picture(1).source)

    /// A file with these bytes.
    static func file(_ bytes: [UInt8]) throws -> OwnedDescriptor {
        try MemoryFile.descriptor(of: .bytes(ImmutableBytes(bytes)))
    }

    private static func open(_ bytes: [UInt8], as name: ObjectName = name) throws -> Envelope? {
        let opened = try Envelope.open(file(bytes), length: bytes.count, as: name)
        #expect(Envelope.open(bytes, as: name) == opened, "in memory as in a file")
        return opened
    }

    private static func seal(_ body: [UInt8], _ metadata: [UInt8]) -> [UInt8] {
        Envelope.seal(body, nil, metadata, as: name, at: time)?.bytes ?? []
    }

    /// The object in version 1.
    static func firstVersion(
        _ body: [UInt8], _ metadata: [UInt8], as name: ObjectName = name, at time: Timestamp = time
    ) -> [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let object =
            body + metadata + [0x89] + Array("PICOBJ\n".utf8) + [1, name.kind.rawValue, 0, 0]
            + bytes(UInt32(metadata.count)) + bytes(UInt64(body.count)) + bytes(time.milliseconds)
        return object + SHA256.digest(of: Array(name.text.utf8) + [0] + object).bytes
    }

    @Test(arguments: [(1, 0), (1, 1), (5_000, 300), (600_000, 17)])
    func `what was sealed is opened`(body: Int, metadata: Int) throws {
        var random = SeededRandom(for: "what was sealed is opened")
        let (bytes, words) = (random.bytes(body), random.bytes(metadata))
        let sealed = Envelope.seal(bytes, SHA256.digest(of: bytes), words, as: Self.name, at: Self.time)
        let object = try #require(sealed).bytes
        #expect(sealed?.digest == SHA256.digest(of: object))
        #expect(object.count == body + metadata + Envelope.trailerSize)
        #expect(object.starts(with: bytes))
        #expect(
            try Self.open(object)
                == Envelope(
                    metadata: words, bodyLength: body, bodyDigest: SHA256.digest(of: bytes),
                    written: Self.time))
    }

    @Test func `an object without a body is as nodes of the former version write it and read it`() throws {
        let object = Self.seal([], [1, 2, 3])
        #expect(object == Self.firstVersion([], [1, 2, 3]))
        #expect(
            try Self.open(object)
                == Envelope(metadata: [1, 2, 3], bodyLength: 0, bodyDigest: nil, written: Self.time))
    }

    @Test func `an object of the former version is opened, and one of this version is none of the former`()
        throws
    {
        let object = Self.firstVersion(Array(0..<40), [1, 2, 3])
        #expect(
            try Self.open(object)
                == Envelope(metadata: [1, 2, 3], bodyLength: 40, bodyDigest: nil, written: Self.time))
        let ours = Self.seal(Array(0..<40), [1, 2, 3])
        let version = ours.count - Envelope.trailerSize + 8
        #expect(ours[version] == 2 && object[version] == 1)
        // Neither passes for the other version.
        for (bytes, other) in [(object, UInt8(2)), (ours, 1)] {
            var forged = bytes
            forged[version] = other
            #expect(try Self.open(forged) == nil)
        }
    }

    @Test func `a body that is not what it was is not sealed`() {
        let digest = SHA256.digest(of: [1, 2, 3])
        #expect(Envelope.seal([1, 2, 4], digest, [], as: Self.name, at: Self.time) == nil)
        #expect(Envelope.seal([1, 2, 3], digest, [], as: Self.name, at: Self.time) != nil)
    }

    @Test func `no byte can be another`() throws {
        let object = Self.seal(Array(0..<40), [1, 2, 3])
        for index in object.indices {
            for bit in 0..<8 {
                var damaged = object
                damaged[index] ^= 1 << UInt8(bit)
                #expect(try Self.open(damaged) == nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `nothing shorter or longer passes`() throws {
        let object = Self.seal(Array(0..<40), [1, 2, 3])
        for count in 0..<object.count { #expect(try Self.open(Array(object.prefix(count))) == nil) }
        for count in 1..<object.count { #expect(try Self.open(Array(object.suffix(count))) == nil) }
        #expect(try Self.open(object + [0]) == nil)
        #expect(try Self.open([0] + object) == nil)
        #expect(try Self.open(object + object) == nil)
    }

    @Test func `the object of another name does not pass`() throws {
        let object = Self.seal([1], [])
        #expect(try Self.open(object, as: .original(Picture(2).source)) == nil)
        #expect(
            try Self.open(object, as: .rendition(Picture.renditionKey(2), of: Picture(1).source)) == nil)
    }

    @Test func `whatever a store sends, nothing but an object passes`() throws {
        var random = SeededRandom(for: "whatever a store sends")
        let object = Self.seal(random.bytes(200), random.bytes(30))
        for _ in 0..<3_000 {
            var bytes = random.chance(30) ? random.bytes(Int.random(in: 0...300, using: &random)) : object
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                // Lengths that reach far outside of the object.
                default:
                    for offset in 12..<24 where bytes.count >= 64 && random.chance(50) {
                        bytes[bytes.count - 64 + offset] = 0xFF
                    }
                }
            }
            #expect(try Self.open(bytes) == nil || bytes == object)
        }
    }

    // MARK: Metadata

    private static func entry(_ random: inout SeededRandom) -> SharedOriginal {
        var fields = Fields([Fields.Field("ETag", "\"\(UInt64.random(in: 0...(.max), using: &random))\"")])
        if random.chance(50) { fields.append("Cache-Tag", "a, b") }
        if random.chance(50) { fields.append("Content-Type", "image/png") }
        func number() -> Int32 { Int32.random(in: .min ... .max, using: &random) }
        return SharedOriginal(
            key: OriginalKey(url: "http://host/é/\(UInt64.random(in: 0...(.max), using: &random))"),
            digest: OriginalDigest(SHA256.digest(of: random.bytes(9))),
            length: Int.random(in: 0...1 << 40, using: &random),
            lastModified: random.chance(50)
                ? nil : Timestamp(milliseconds: Int64.random(in: -9...9, using: &random)),
            freshness: Freshness(
                responseTime: Timestamp(milliseconds: Int64(number())), initialAge: number(),
                lifetime: number(), clientLifetime: number(), staleWhileRevalidate: number(),
                staleIfError: number(), flags: .init(rawValue: UInt16.random(in: 0...(.max), using: &random))),
            fields: StoredFields(random.chance(90) ? fields : Fields()))
    }

    @Test func `what is known of a URL comes back as it was`() {
        var random = SeededRandom(for: "what is known of a URL")
        for _ in 0..<500 {
            let entry = Self.entry(&random)
            #expect(SharedOriginal(metadata: entry.metadata) == entry)
        }
    }

    @Test func `metadata that is cut or altered is nothing, or other metadata`() {
        var random = SeededRandom(for: "metadata that is cut")
        for _ in 0..<50 {
            let bytes = Self.entry(&random).metadata
            for count in bytes.indices { #expect(SharedOriginal(metadata: Array(bytes[..<count])) == nil) }
            #expect(SharedOriginal(metadata: bytes + [0]) == nil)
            for _ in 0..<200 {
                var altered = bytes
                altered[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
                // Whatever can be read is written again unchanged.
                if let read = SharedOriginal(metadata: altered) {
                    #expect(SharedOriginal(metadata: read.metadata) == read)
                }
            }
        }
    }

    @Test func `a rendition's metadata come back, and nothing else does`() {
        let rendition = Picture(3).rendition
        let bytes = rendition.metadata
        #expect(Rendition(metadata: bytes, rendition.key, length: rendition.length) == rendition)
        for count in bytes.indices {
            #expect(Rendition(metadata: Array(bytes[..<count]), rendition.key, length: 1) == nil)
        }
        var foreign = bytes
        foreign[0] = 200
        #expect(Rendition(metadata: foreign, rendition.key, length: 1) == nil)
        var negative = bytes
        negative[15] = 0x80
        #expect(Rendition(metadata: negative, rendition.key, length: 1) == nil)
    }
}

extension Envelope {
    /// The object with this body, and the object's SHA-256.
    static func seal(
        _ body: [UInt8], _ digest: Digest?, _ metadata: [UInt8], as name: ObjectName, at time: Timestamp
    ) -> (bytes: [UInt8], digest: Digest)? {
        seal(body.count, digest, metadata, as: name, at: time) { storage in
            storage.copyBytes(from: body)
            return true
        }.map { (Array($0.object.buffer), $0.digest) }
    }
}
