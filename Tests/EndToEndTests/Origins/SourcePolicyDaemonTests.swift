// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite(.endToEnd) struct `Where the daemon may fetch from` {
    /// Flags of a daemon that faces the internet.
    private static let facingTheInternet = ["--origin-allow-private", "false"]

    private static func pictures(address: String = "127.0.0.1") -> ScriptedOrigin {
        ScriptedOrigin(address: address) { $0.picture(Pictures.gradient(8, 8)) }
    }

    @Test func `every refusal has the same words, whatever is behind it`() throws {
        let inside = Self.pictures()
        let daemon = try DaemonUnderTest(
            Self.facingTheInternet + [
                "--origin-deny-hosts", "denied.example", "--origin-deny-urls", "//b.example/x/",
            ])
        let answers = try [
            inside.url().absolute, "http://127.0.0.1:1/", "http://127.0.0.1:22/",
            "http://localhost:\(inside.port)/",
            "http://10.255.255.1/", "http://[::1]:\(inside.port)/", "http://[fe80::1]/", "http://0.0.0.0/",
            "http://169.254.169.254/latest/", "http://metadata.google.internal/", "http://no-such-name/",
            "http://denied.example/", "https://b.example/x/1", "http://8.8.8.8:25/", "http://8.8.8.8:6667/",
            "http://127.0.0.1:\(daemon.port)/", "http://127.0.0.1:\(daemon.adminPort)/metrics",
        ].map { try daemon.get(DaemonUnderTest.target($0)) }
        for answer in answers {
            #expect(answer.status == 400)
            #expect(answer.text.contains("\"source_refused\""))
            #expect(answer.text == answers[0].text)
        }
        #expect(inside.accepted == 0)
    }

    @Test func `its own listeners are closed even where everything inside is open`() throws {
        let daemon = try DaemonUnderTest(["--server-listen", "0.0.0.0:0"])
        for url in [
            "http://127.0.0.1:\(daemon.adminPort)/metrics", "http://127.0.0.1:\(daemon.port)/img",
            "http://127.8.8.8:\(daemon.port)/img", "http://[::ffff:127.0.0.1]:\(daemon.port)/img",
            "http://2130706433:\(daemon.port)/img", "http://localhost:\(daemon.port)/img",
        ] {
            let answer = try daemon.get(DaemonUnderTest.target(url))
            #expect(answer.status == 400 && answer.text.contains("source_refused"), "\(url): \(answer.text)")
        }
    }

    @Test func `a redirect to its own listener is refused`() throws {
        let daemon = try DaemonUnderTest()
        let admin = "http://127.0.0.1:\(daemon.adminPort)/metrics"
        let origin = ScriptedOrigin { $0.redirect(to: admin) }
        let answer = try daemon.get(origin.url())
        #expect(answer.status == 400 && answer.text.contains("source_refused"))
    }

    @Test func `what was kept under a mild policy is not served under a stricter one`() throws {
        let origin = Self.pictures()
        let cache = TemporaryFolder()
        let mild = try DaemonUnderTest(cache: cache)
        #expect(try mild.get(origin.url()).status == 200)
        mild.stop()
        for flags in [
            ["--origin-deny-hosts", "127.0.0.1"], ["--origin-allow-hosts", "a.example"],
            ["--origin-deny-urls", origin.url("/picture").absolute],
            ["--origin-deny-networks", "127.0.0.0/8"],
            ["--origin-ports", "80,443"], Self.facingTheInternet,
        ] {
            let strict = try DaemonUnderTest(flags, cache: cache)
            #expect(try strict.get(origin.url()).status == 400, "\(flags)")
            strict.stop()
        }
        let again = try DaemonUnderTest(cache: cache)
        #expect(try again.get(origin.url()).status == 200)
        // It was held all the while, and is confirmed once, because networks were closed meanwhile.
        #expect(origin.heads.count == 2)
    }

    @Test func `neither is JSON, nor a watermark`() throws {
        let (origin, logo) = (Self.pictures(), Self.pictures(address: "127.0.0.2"))
        let cache = TemporaryFolder()
        let stamped = "w=4&wm=\(logo.url().absolute)"
        let mild = try DaemonUnderTest(cache: cache)
        #expect(try mild.get(origin.url(), "output=json").status == 200)
        #expect(try mild.get(origin.url(), stamped).status == 200)
        mild.stop()
        let strict = try DaemonUnderTest(["--origin-deny-hosts", "127.0.0.2"], cache: cache)
        #expect(try strict.get(origin.url(), "output=json").status == 200)
        #expect(try strict.get(origin.url(), stamped).text.contains("source_refused"))
        #expect(try strict.get(logo.url(), "output=json").text.contains("source_refused"))
    }

    @Test func `a list that allows lets its host through`() throws {
        let (listed, other) = (Self.pictures(), Self.pictures(address: "127.0.0.2"))
        let daemon = try DaemonUnderTest([
            "--origin-allow-hosts", "127.0.0.1", "--origin-allow-urls", other.url("/open/").absolute,
        ])
        #expect(try daemon.get(listed.url()).status == 200)
        #expect(try daemon.get(other.url("/open/1")).status == 200)
        #expect(try daemon.get(other.url("/open/..%2Fclosed")).status == 400)
        #expect(try daemon.get(other.url("/closed")).status == 400)
    }

    @Test func `a slip in a list keeps the daemon from starting`() {
        for flags in [
            ["--origin-deny-hosts", "http://a.example"], ["--origin-allow-hosts", "*"],
            ["--origin-deny-urls", "a.example"], ["--origin-deny-networks", "10.0.0.1/8"],
            ["--origin-ports", "0-80"],
        ] {
            #expect(throws: DaemonUnderTest.DidNotStart.self, "\(flags)") { _ = try DaemonUnderTest(flags) }
        }
    }

    @Test func `no proxy of the environment is asked`() throws {
        let proxy = ScriptedOrigin { $0.answer("502 From the proxy") }
        let address = "http://127.0.0.1:\(proxy.port)"
        let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
        let daemon = try DaemonUnderTest(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, address) }))
        let origin = Self.pictures()
        #expect(try daemon.get(origin.url()).status == 200)
        #expect(proxy.accepted == 0)
        #expect(origin.heads.count == 1)
    }
}
