// SPDX-License-Identifier: Apache-2.0
//
// Support of the disk cache's tests: a folder, a clock that the test moves by hand, and pictures made from their numbers.

import Bytes
import Foundation
import HTTPCaching
import HTTPSemantics
import Hashing
import ImageHeaders
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Synchronization
import Testing

/// A temporary folder, removed with this object, and the disk stores opened on it.
final class CacheUnderTest: Sendable {
    let folder: String
    private let clock = Atomic<Int64>(1_700_000_000)

    /// `inMemory`: in /dev/shm if that has room, for tests that open many stores, because each open and close flushes SQLite's
    /// files, which takes long on a disk. `onDisk`: in a place that is meant to be on a disk, wherever temporary files are.
    init(inMemory: Bool = false, onDisk: Bool = false) throws {
        var status = statvfs()
        let hasRoom =
            statvfs("/dev/shm", &status) == 0 && Int(status.f_bavail) * Int(status.f_frsize) >= 1 << 30
        let parent = onDisk ? "/var/tmp/" : inMemory && hasRoom ? "/dev/shm/" : NSTemporaryDirectory()
        folder = parent + "stores-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Rows are written only when a test asks for it, or when a thousand wait.
    func open(
        in other: String? = nil, _ adjust: (inout DiskConfiguration) -> Void = { _ in }
    ) throws -> DiskStore {
        try DiskStore(configuration(in: other, adjust)) { self.now }
    }

    func configuration(
        in other: String? = nil, _ adjust: (inout DiskConfiguration) -> Void = { _ in }
    ) -> DiskConfiguration {
        var configuration = DiskConfiguration(
            folder: other ?? folder, originalsBudget: 1 << 30, renditionsBudget: 1 << 30)
        configuration.commitInterval = 3_600_000
        configuration.sweepPause = 0
        configuration.watchInterval = 5
        configuration.seed = 1
        adjust(&configuration)
        return configuration
    }

    var now: Timestamp { Timestamp(seconds: clock.load(ordering: .relaxed)) }
    func pass(seconds: Int64) { clock.add(seconds, ordering: .relaxed) }

    /// A copy of the folder, as a kill at this moment would leave it. No write may be under way.
    func snapshot() throws -> String {
        let copy = folder + "-copy-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        return copy
    }

    static func files(in folder: String, _ kind: String) -> [String] {
        let all =
            FileManager.default.enumerator(atPath: "\(folder)/\(kind)")?.compactMap { $0 as? String } ?? []
        return all.filter { $0.count == 67 }.map { "\(folder)/\(kind)/\($0)" }.sorted()
    }

    func files(_ kind: String) -> [String] { Self.files(in: folder, kind) }
}

/// A picture whose bytes are computed from its number.
struct Picture: Sendable {
    let number: Int
    let bytes: [UInt8]

    init(_ number: Int, length: Int? = nil) {
        self.number = number
        var random = SplitMix64(seed: UInt64(number))
        let length = length ?? Int(random.next() % 9_000)
        bytes = [UInt8](unsafeUninitializedCapacity: length + 8) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for offset in stride(from: 0, to: length, by: 8) {
                raw.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
            }
            count = length
        }
    }

    /// The digest of the original from which its rendition is made.
    var source: OriginalDigest { OriginalDigest(digest) }
    var digest: Digest { SHA256.digest(of: bytes) }
    var header: ImageHeader {
        ImageHeader(
            format: .webp, width: number + 1, height: 7, pages: number % 3 + 1, orientation: 6,
            hasAlpha: true, isDecodable: number % 2 == 0, isProgressive: true)
    }

    func original(url: String? = nil) -> Original {
        Original(
            key: OriginalKey(text: url ?? "http://host/\(number)"), digest: OriginalDigest(digest),
            length: bytes.count, header: header, lastModified: Timestamp(seconds: Int64(number)),
            freshness: Self.freshness(lifetime: Int32(number)))
    }

    /// An original that arrives now and is fresh for an hour.
    func fresh(at now: Timestamp) -> Original {
        var original = original()
        original.freshness = Freshness(
            responseTime: now, initialAge: 0, lifetime: 3_600, clientLifetime: 60,
            staleWhileRevalidate: 60, staleIfError: 60, flags: [])
        return original
    }

    var rendition: Rendition {
        Rendition(
            key: Self.renditionKey(number), format: .avif, width: number + 1, height: 9, pages: 2,
            length: bytes.count)
    }

    static func renditionKey(_ number: Int) -> RenditionKey {
        RenditionKey(SHA256.digest(of: Array("rendition \(number)".utf8)))
    }

    static func freshness(lifetime: Int32) -> Freshness {
        Freshness(
            responseTime: Timestamp(milliseconds: 1_600_000_000_123), initialAge: 1, lifetime: lifetime,
            clientLifetime: lifetime / 2, staleWhileRevalidate: 3, staleIfError: 4,
            flags: [.heuristic, .mustRevalidate])
    }
}

extension DiskStore {
    /// The body in a file that the store has made, as a download or a decoder makes it.
    func file(_ bytes: [UInt8]) throws -> Body {
        let file = try makeFile()
        #expect(bytes.withUnsafeBytes { pwrite(file.raw, $0.baseAddress, bytes.count, 0) } == bytes.count)
        return .file(file, length: bytes.count)
    }

    @discardableResult
    func keep(original picture: Picture, url: String? = nil, fields: String = "etag") throws -> Body {
        keepOriginal(picture.original(url: url), cachingFields: fields, body: try file(picture.bytes))
    }

    @discardableResult
    func keep(rendition picture: Picture, url: String? = nil) throws -> Body {
        keepRendition(picture.rendition, of: picture.original(url: url), body: try file(picture.bytes))
    }

    func purgeAll() throws {
        let order = PurgeOrder(.all)
        _ = try purgeRenditions(order, of: try purgeOriginals(order))
    }

    func bytes(original picture: Picture) -> [UInt8]? {
        openOriginal(OriginalDigest(picture.digest)).map { $0.contents }
    }

    func bytes(rendition number: Int) -> [UInt8]? {
        openRendition(Picture.renditionKey(number)).map { $0.body.contents }
    }
}

extension Body {
    var contents: [UInt8] {
        switch self {
        case .bytes(let bytes): return Array(bytes.buffer)
        case .file(let file, let length):
            var bytes = [UInt8](repeating: 0, count: length)
            let count = pread(file.raw, &bytes, length, 0)
            return Array(bytes.prefix(max(0, count)))
        }
    }
}

extension CacheUnderTest {
    /// The access time of a rendition's row, in seconds.
    func accessed(_ number: Int) throws -> Int64? {
        let database = try Database(path: folder + "/index.sqlite", .readOnly)
        return try database.integer(
            "SELECT accessed FROM renditions WHERE key=x'\(Picture.renditionKey(number).digest.hex)'")
    }
}

extension CacheUnderTest {
    /// Makes folders read-only. Permissions do not bind root, so for root they get the immutable attribute as well.
    func lock(_ paths: [String]) throws {
        try run("/bin/chmod", ["0500"], paths)
        if access(folder + paths[0], W_OK) == 0 { try run("/usr/bin/chattr", ["+i"], paths) }
        let probe = Foundation.open(folder + paths[0] + "/probe", O_CREAT | O_WRONLY, 0o600)
        if probe >= 0 {
            close(probe)
            try Test.cancel("Nothing makes a folder read-only for root here.")
        }
    }

    func unlock(_ paths: [String]) {
        try? run("/usr/bin/chattr", ["-i"], paths)
        try? run("/bin/chmod", ["0700"], paths)
    }

    private func run(_ command: String, _ options: [String], _ paths: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = options + paths.map { folder + $0 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}
