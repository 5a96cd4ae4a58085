// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Authorities that the settings name vouch for origins", .endToEnd)
struct CertificateAuthorityTests {
    private let folder = TemporaryFolder()
    private var certificate: String { folder.path + "/certificate.pem" }

    /// An origin over TLS, whose certificate nobody but itself vouches for: OpenSSL's test server, which sends a file as it is.
    private final class SecureOrigin {
        let port: UInt16
        private let process = Process()

        init(in folder: String) throws {
            let made = try Program.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=origin",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out",
                folder + "/certificate.pem",
            ])
            try #require(made?.status == 0, "\(made?.output ?? "no openssl")")
            let picture = Pictures.gradient(60, 40)
            let head =
                "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(picture.count)\r\n\r\n"
            try (Data(head.utf8) + Data(picture)).write(to: URL(filePath: folder + "/a.png"))
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key",
                "key.pem",
                "-HTTP",
            ]
            process.currentDirectoryURL = URL(filePath: folder)
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = Pipe()
            try process.run()
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
            // It may have inherited a mask that holds SIGTERM back.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        var picture: String { "https://127.0.0.1:\(port)/a.png" }
    }

    private func status(of origin: SecureOrigin, _ daemon: DaemonUnderTest) throws -> Int {
        try daemon.get(DaemonUnderTest.target(origin.picture, "w=30")).status
    }

    @Test func `without them, the origin is not trusted, and the log says why`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(DaemonUnderTest.target(origin.picture, "w=30"))
        #expect(reply.status == 502 && reply.text.contains("origin_tls"))
        #expect(
            try #require(daemon.logLine(with: "no picture was fetched", "origin_tls")).contains("certificate")
        )
    }

    @Test func `named by the setting, they are trusted beside the system's`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let daemon = try DaemonUnderTest(["--origin-certificate-authorities", certificate])
        #expect(try status(of: origin, daemon) == 200)
        // What another authority signed is not.
        let other = TemporaryFolder()
        #expect(try status(of: SecureOrigin(in: other.path), daemon) == 502)
    }

    @Test func `SSL_CERT_FILE takes the place of the system's`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let daemon = try DaemonUnderTest(environment: ["SSL_CERT_FILE": certificate])
        #expect(try status(of: origin, daemon) == 200)
    }

    @Test func `a file without a certificate is a mistake of the settings`() throws {
        let empty = folder.path + "/empty.pem"
        try Data("nothing\n".utf8).write(to: URL(filePath: empty))
        for (path, words) in [
            (empty, "holds no certificate"), (folder.path + "/absent.pem", "cannot be read"),
        ] {
            let command = try PictorCommand([
                "check", "--cache-directory", folder.path, "--origin-certificate-authorities", path,
            ])
            #expect(command.status == 78)
            #expect(
                command.error.contains("origin.certificate-authorities") && command.error.contains(words)
                    && command.error.contains(path), "\(command.error)")
        }
    }
}
