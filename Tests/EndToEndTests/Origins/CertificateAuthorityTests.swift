// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Authorities that the settings name vouch for origins", .endToEnd)
struct CertificateAuthorityTests: Reloading {
    let folder = TemporaryFolder()
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

    @Test func `a reload has them vouch for who gives a store's keys, too`() throws {
        let agent = try SecureOrigin(in: folder.path)
        let end = Date(timeIntervalSinceNow: 3600).ISO8601Format()
        let keys =
            #"{"AccessKeyId":"ASIAFIRST","SecretAccessKey":"a-secret","Token":"a-token","Expiration":"\#(end)"}"#
        let answer =
            "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.utf8.count)\r\n\r\n"
        try Data((answer + keys).utf8).write(to: URL(filePath: folder.path + "/keys"))
        try write("s3:", "  buckets: [media]")
        let place = "https://127.0.0.1:\(agent.port)/keys"
        let daemon = try DaemonUnderTest(
            ["--config", file],
            environment: DaemonUnderTest.trusting.merging([
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": place
            ]) { $1 })
        #expect(daemon.logLine(with: "the platform gives no keys") != nil)
        try write(
            "s3:", "  buckets: [media]", "origin:", "  certificate-authorities: [\"\(certificate)\"]")
        #expect(try reload(daemon).changed == ["origin.certificate-authorities"])
        #expect(daemon.logLine(with: "the platform gave keys") != nil)
    }

    @Test func `a file without a certificate, or larger than any, is a mistake of the settings`() throws {
        let empty = folder.path + "/empty.pem"
        try Data("nothing\n".utf8).write(to: URL(filePath: empty))
        let large = folder.path + "/large.pem"
        try Data().write(to: URL(filePath: large))
        #expect(truncate(large, 17 << 20) == 0)
        for (path, words) in [
            (empty, "holds no certificate"), (folder.path + "/absent.pem", "cannot be read"),
            (large, "cannot be read: File too large"),
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
