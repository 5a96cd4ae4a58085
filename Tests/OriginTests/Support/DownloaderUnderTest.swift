// SPDX-License-Identifier: Apache-2.0

import Clients
import Foundation
import Glibc
import HTTPSemantics
import Kernel
@testable import Origin
import SourceURLs
import Testing

/// An unnamed file.
@Sendable func temporaryFile() throws(SystemError) -> OwnedDescriptor {
    let folder = FileManager.default.temporaryDirectory
    var path = Array(folder.appending(path: "origin-test-XXXXXX").path.utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw SystemError.last("mkstemp") }
    unlink(path)
    return OwnedDescriptor(adopting: descriptor)
}

@Sendable func wallClock() -> Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
}

extension AddressBlock {
    init(known text: String) throws { self = try #require(AddressBlock(text)) }
}

extension OriginConfiguration {
    /// It may dial 127.0.0.0/8 and no other special address, and waits long, so that no test depends on speed.
    static func loopback() throws -> OriginConfiguration {
        var configuration = OriginConfiguration()
        configuration.policy.addresses.allowed = [try AddressBlock(known: "127.0.0.0/8")]
        configuration.connectTimeout = .seconds(30)
        configuration.firstByteTimeout = .seconds(30)
        configuration.idleTimeout = .seconds(30)
        configuration.totalTimeout = .seconds(60)
        configuration.unprovenTime = .seconds(3_600)
        return configuration
    }
}

/// Runs `body` with a started downloader, and then shuts the downloader down.
func withDownloader<Value>(
    _ change: (inout OriginConfiguration) -> Void = { _ in },
    makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor = temporaryFile,
    _ body: (Downloader) async throws -> Value
) async throws -> Value {
    var configuration = try OriginConfiguration.loopback()
    change(&configuration)
    let downloader = Downloader(configuration, makeFile: makeFile, now: wallClock)
    try downloader.start()
    defer { downloader.shutdown() }
    return try await body(downloader)
}

extension Downloader {
    func fetch(_ url: SourceURL) async throws(FailedDownload) -> DownloadReply {
        try await fetch(Download(url: url))
    }

    /// The reason of the failure, or nil after a success.
    func failure(_ url: SourceURL) async -> DownloadFailure? { await failedDownload(url)?.reason }

    /// The failure, or nil after a success.
    func failedDownload(_ url: SourceURL) async -> FailedDownload? {
        do throws(FailedDownload) {
            _ = try await fetch(url)
            return nil
        } catch {
            return error
        }
    }
}

extension DownloadReply {
    /// The file's bytes.
    func read() throws -> [UInt8] {
        let payload = try #require(payload)
        var bytes = [UInt8](repeating: 0, count: payload.length)
        let count = pread(payload.file.raw, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }
}

/// Bytes that do not repeat soon.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
