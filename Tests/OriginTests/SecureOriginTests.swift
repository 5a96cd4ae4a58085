// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `An origin over TLS` {
    /// OpenSSL's test server, which answers what comes on its standard input.
    private final class Server {
        let certificate: [UInt8]
        let port: UInt16
        private let folder: String
        private let process = Process()

        init(saying answer: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let files = try ServerCertificate(in: folder)
            certificate = Array(try Data(contentsOf: URL(filePath: files.certificate)))
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", files.certificate, "-key",
                files.key, "-alpn", "http/1.1",
            ]
            (process.standardInput, process.standardOutput) = (input, output)
            process.standardError = FileHandle.nullDevice
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
            var text = ""
            // "ACCEPT 127.0.0.1:39161"
            while !text.contains(/ACCEPT \S+:\d+\s/) {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                text += String(decoding: bytes, as: UTF8.self)
            }
            port = try #require(
                (text.firstMatch(of: /ACCEPT \S+:(\d+)/)?.1).flatMap { UInt16($0) }, "\(text)")
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Streams of HTTP/2 are numbered, so nobody looks for an answer too many there.
    @Test func `that speaks HTTP/1.1 is watched for excess, whatever its status line says`() async throws {
        let server = try Server(
            saying: "HTTP/2 200 \r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n")
        let authorities = try AuthorityBundle(server.certificate)
        try await withDownloader({ $0.authorities = authorities }) { downloader in
            let reply = try await downloader.fetch(
                SourceURL(scheme: .https, host: "127.0.0.1", port: server.port, target: "/"))
            #expect(try reply.read() == Array("abc".utf8))
            #expect(downloader.counters.outOfStep == 1)
        }
    }
}
