// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Clients are told what is left of the original's freshness, within bounds, by host", .endToEnd)
struct ClientLifetimeTests {
    /// `/<max-age>/<age>`.
    private let origin = ScriptedOrigin { peer in
        let numbers = peer.target.split(separator: "/").compactMap { Int($0) }
        peer.picture(Pictures.gradient(60, 40), maxAge: numbers[0], fields: ["Age: \(numbers[1])"])
    }

    /// Seconds that a client may keep the answer: `max-age` − `Age`. On the long way, and then by the cached answer.
    private func left(_ daemon: DaemonUnderTest, _ path: String, host: String? = nil) throws -> [Int] {
        try (0..<2).map { _ in
            let reply = try daemon.get(origin.url(path, host: host), "w=30")
            let control = try #require(reply["Cache-Control"])
            let age = try #require(control.firstMatch(of: /public, max-age=([0-9]+)/).flatMap { Int($0.1) })
            return age - (reply["Age"].flatMap { Int($0) } ?? 0)
        }
    }

    private func expect(_ left: [Int], near seconds: Int, _ words: Comment) {
        for value in left { #expect((seconds - 30...seconds).contains(value), words) }
    }

    @Test func `without bounds it is what is left`() throws {
        let daemon = try DaemonUnderTest()
        expect(try left(daemon, "/1000/0"), near: 1000, "new")
        expect(try left(daemon, "/1000/600"), near: 400, "old already")
    }

    @Test func `the bounds hold for all`() throws {
        let daemon = try DaemonUnderTest([
            "--cache-client-minimum-lifetime", "10m", "--cache-client-maximum-lifetime", "1h",
        ])
        expect(try left(daemon, "/100/0"), near: 600, "least")
        expect(try left(daemon, "/1000/0"), near: 1000, "between")
        expect(try left(daemon, "/9000/0"), near: 3600, "most")
        expect(try left(daemon, "/9000/5000"), near: 3600, "most, old already")
    }

    @Test func `a host may have its own, exactly or by the end of its name`() throws {
        let daemon = try DaemonUnderTest([
            "--cache-client-lifetimes", "*.localhost=2h, img.localhost=10m..20m, localhost=..50s",
            "--cache-client-maximum-lifetime", "1d",
        ])
        expect(try left(daemon, "/1000/0", host: "a.localhost"), near: 7200, "suffix")
        expect(try left(daemon, "/9000/1", host: "img.localhost"), near: 1200, "exact, most")
        expect(try left(daemon, "/100/0", host: "img.localhost"), near: 600, "exact, least")
        expect(try left(daemon, "/100/0", host: "localhost"), near: 50, "one bound")
        expect(try left(daemon, "/100/0"), near: 100, "another host")
    }

    @Test(arguments: ["no-cache", "no-store", "private, max-age=60"])
    func `no bound lets anybody keep what the origin forbids to keep`(control: String) throws {
        let strict = ScriptedOrigin { peer in
            peer.answer(
                fields: ["Content-Type: image/png", "Cache-Control: \(control)"],
                body: Pictures.gradient(60, 40))
        }
        let daemon = try DaemonUnderTest(["--cache-client-minimum-lifetime", "1h"])
        for _ in 0..<2 {
            let given = try daemon.get(strict.url(), "w=30")["Cache-Control"] ?? ""
            #expect(!given.contains("max-age"), "\(given)")
        }
    }
}
