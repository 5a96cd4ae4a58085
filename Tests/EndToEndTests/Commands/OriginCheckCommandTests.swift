// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("pictor check --online connects to what the settings name", .endToEnd)
struct OriginCheckCommandTests {
    private let folder = TemporaryFolder()

    /// Only what is asked of origins is left to tell.
    private func check(_ flags: String...) throws -> PictorCommand {
        try PictorCommand(
            ["check", "--online", "--cache-directory", folder.path, "--server-listen", "127.0.0.1:0"]
                + ["--admin-listen", ""] + flags, environment: DaemonUnderTest.withoutNames)
    }

    private static let inside = ["--origin-allow-networks", "127.0.0.0/8"]
    /// Longer than an origin takes on a machine with much else to do.
    private static let patient = ["--origin-connect-timeout", "30s"]

    private func check(_ flags: [String]) throws -> PictorCommand {
        try PictorCommand(
            ["check", "--online", "--cache-directory", folder.path, "--server-listen", "127.0.0.1:0"]
                + ["--admin-listen", ""] + Self.inside
                + (flags.contains(Self.patient[0]) ? [] : Self.patient) + flags,
            environment: DaemonUnderTest.withoutNames)
    }

    /// A port at which nobody listens, held as long as the value lives.
    private final class DeadPort {
        let port: UInt16
        private let descriptor: Int32

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutableBytes(of: &name) { bytes in
                guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return false }
                return bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
            try #require(isBound)
            port = UInt16(bigEndian: name.sin_port)
        }

        deinit { close(descriptor) }
    }

    @Test func `an origin that takes connections is told, and asked for nothing`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(6, 4)) }
        let place = "http://127.0.0.1:\(origin.port)"
        let command = try check(["--origin-allow-urls", "\(place)/pictures/,\(place)/more/"])
        #expect(command.status == 0, "\(command.error)")
        let lines = command.error.split(separator: "\n").filter { $0.contains(place) }
        #expect(lines == ["The origin \(place) takes connections."], "one line for one origin")
        // The kernel takes a connection before the origin does.
        #expect(Patience.until { origin.accepted > 0 })
        #expect(origin.accepted == 1 && origin.heads.isEmpty)
    }

    @Test func `the origins of profiles are tried as their profiles have it`() throws {
        let folder = TemporaryFolder()
        let origin = try SecureOrigin(in: folder.path)
        let file = folder.path + "/origins.yaml"
        let place = "https://127.0.0.1:\(origin.port)"
        try "near:\n  match: \(place)/pictures/\n  authorities: \(folder.path)/certificate.pem\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let command = try check(["--origin-profiles", file])
        #expect(command.status == 0, "\(command.error)")
        #expect(command.error.contains("The origin \(place) takes connections."), "\(command.error)")
    }

    @Test func `an origin at which nobody listens is an error, and the others are tried all the same`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(6, 4)) }
        let dead = try DeadPort()
        let (good, bad) = ("http://127.0.0.1:\(origin.port)", "http://127.0.0.1:\(dead.port)")
        let command = try check(["--origin-allow-urls", "\(bad)/,\(good)/"])
        #expect(command.status == 1)
        #expect(command.error.contains("Error: The origin \(bad): it cannot be connected to"))
        #expect(command.error.contains("\nThe origin \(good) takes connections.\n"), "\(command.error)")
    }

    @Test func `over TLS, the certificate is verified by the authorities of the settings`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let place = "https://127.0.0.1:\(origin.port)"
        let unknown = try check(["--origin-allow-urls", "\(place)/"])
        #expect(unknown.status == 1)
        #expect(
            unknown.error.contains("Error: The origin \(place): no trusted TLS connection to it is possible"))
        #expect(unknown.error.contains("certificate"), "\(unknown.error)")
        let known = try check([
            "--origin-allow-urls", "\(place)/",
            "--origin-certificate-authorities", folder.path + "/certificate.pem",
        ])
        #expect(known.status == 0 && known.error.contains("The origin \(place) takes connections."))
    }

    @Test func `where the scheme is open, one that connects is enough, and is named`() throws {
        let origin = ScriptedOrigin(greeting: "no TLS here\r\n") { $0.close() }
        let command = try check(["--origin-allow-urls", "//127.0.0.1:\(origin.port)/"])
        #expect(command.status == 0, "\(command.error)")
        #expect(command.error.contains("The origin 127.0.0.1:\(origin.port) takes connections (http)."))
        let dead = try DeadPort()
        let neither = try check(["--origin-allow-urls", "//127.0.0.1:\(dead.port)/"])
        #expect(neither.status == 1)
        #expect(neither.error.contains("Error: The origin https://127.0.0.1:\(dead.port): it cannot be"))
    }

    @Test func `the rules about addresses hold, and are named`() throws {
        let origin = ScriptedOrigin { $0.close() }
        let place = "http://127.0.0.1:\(origin.port)"
        let closed = try check("--origin-allow-urls", "\(place)/")
        #expect(closed.status == 1)
        #expect(closed.error.contains("Error: The origin \(place): its address is not public (loopback"))
        let port = try check(["--origin-allow-urls", "\(place)/", "--origin-ports", "80,443"])
        #expect(port.status == 1)
        #expect(port.error.contains("origin.ports does not open port \(origin.port)"), "\(port.error)")
        #expect(origin.accepted == 0)
    }

    @Test func `patterns name no origin, and hosts without an open port are not tried`() throws {
        let command = try check([
            "--origin-allow-hosts", "*.images.example,127.0.0.1", "--origin-ports", "8443",
        ])
        #expect(command.status == 0, "\(command.error)")
        #expect(!command.error.contains("images.example takes"))
        #expect(
            command.error.contains("The origin 127.0.0.1 was not tried: origin.ports opens no usual port."))
    }

    @Test func `a name without an address is an error`() throws {
        let command = try check(["--origin-allow-hosts", "nowhere.invalid"])
        #expect(command.status == 1)
        #expect(
            command.error.contains("Error: The origin https://nowhere.invalid: its name has no address"),
            "\(command.error)")
    }

    @Test func `an origin that says nothing is given up after its time`() throws {
        let silent = ScriptedOrigin(opening: { $0.waitForHangup() }) { $0.close() }
        let place = "https://127.0.0.1:\(silent.port)"
        let command = try check(["--origin-allow-urls", "\(place)/", "--origin-connect-timeout", "300ms"])
        #expect(command.status == 1)
        #expect(
            command.error.contains("Error: The origin \(place): it does not answer within 300ms"),
            "\(command.error)")
    }

    @Test func `watermarks, the fallback and next's base name origins too`() throws {
        let (mark, base) = (ScriptedOrigin { $0.close() }, ScriptedOrigin { $0.close() })
        let fallback = ScriptedOrigin { $0.close() }
        let command = try check([
            "--options-watermarks", "logo=http://127.0.0.1:\(mark.port)/logo.png",
            "--next-base-url", "http://127.0.0.1:\(base.port)",
            "--fallback-picture", "http://127.0.0.1:\(fallback.port)/sorry.png",
        ])
        #expect(command.status == 0, "\(command.error)")
        #expect(Patience.until { [mark, base, fallback].allSatisfy { $0.accepted > 0 } })
        #expect(mark.accepted == 1 && base.accepted == 1 && fallback.accepted == 1)
    }

    @Test func `the proxy is connected to, and asked for a tunnel to https alone`() throws {
        let secure = try SecureOrigin(in: folder.path)
        let proxy = ScriptedOrigin { [port = secure.port] peer in
            peer.send("HTTP/1.1 200 Connection established\r\n\r\n")
            peer.relay(to: port)
        }
        let flags = [
            "--origin-proxy", "http://127.0.0.1:\(proxy.port)", "--origin-allow-urls",
            "http://127.0.0.1:9/,https://127.0.0.1:\(secure.port)/",
            "--origin-certificate-authorities", folder.path + "/certificate.pem",
        ]
        let command = try check(flags)
        #expect(command.status == 0, "\(command.error)")
        #expect(command.error.contains("The proxy http://127.0.0.1:\(proxy.port) takes connections."))
        #expect(command.error.contains("The origin http://127.0.0.1:9 is asked through the proxy alone."))
        #expect(command.error.contains("The origin https://127.0.0.1:\(secure.port) takes connections."))
        #expect(proxy.heads.map { $0.hasPrefix("CONNECT 127.0.0.1:\(secure.port) ") } == [true])
    }

    @Test func `a proxy at which nobody listens is an error, without its password`() throws {
        let dead = try DeadPort()
        let command = try PictorCommand(
            ["check", "--online", "--cache-directory", folder.path, "--server-listen", "127.0.0.1:0"]
                + ["--admin-listen", "", "--origin-proxy", "http://127.0.0.1:\(dead.port)"],
            environment: ["PICTOR_ORIGIN_PROXY_CREDENTIALS": "pictor:secret-word"])
        #expect(command.status == 1)
        #expect(
            command.error.contains(
                "Error: The proxy http://127.0.0.1:\(dead.port): it cannot be connected to"))
        #expect(!(command.error + command.output).contains("secret-word"))
    }
}
