// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Authorities that the settings name vouch for origins", .endToEnd)
struct CertificateAuthorityTests {
    private let folder = TemporaryFolder()
    private var certificate: String { folder.path + "/certificate.pem" }

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
