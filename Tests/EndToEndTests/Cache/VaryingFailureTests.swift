// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

/// A shared cache gives what it has of a URL to everybody whose fields are the same as far as `Vary` names them. One format
/// may be beyond a limit of time or size while another is not, so a failure depends on what a picture would depend on.
@Suite("A failure that clients may keep says which of their fields it depends on", .endToEnd)
struct VaryingFailureTests {
    private let origin = ScriptedOrigin { $0.answer("404 Not Found") }

    private func target(_ options: String, at path: String = "/img") -> String {
        path + DaemonUnderTest.target(origin.url("/gone"), options).dropFirst("/img".count)
    }

    /// Asks twice: the second failure is a remembered one.
    private func check(
        _ daemon: DaemonUnderTest, _ target: String, status: Int = 404, varies by: String?
    ) throws {
        for _ in 1...2 {
            let reply = try daemon.get(target, fields: [("Accept", "image/avif")])
            #expect(reply.status == status, "\(target)")
            #expect(reply["Cache-Control"]?.hasPrefix("public, max-age=") == true, "\(target)")
            #expect(reply["Vary"] == by, "\(target)")
        }
    }

    @Test func `Accept, where it chooses the format`() throws {
        let daemon = try DaemonUnderTest(["--cloudflare-enabled", "true"])
        try check(daemon, target("w=20&output=auto"), varies: "Accept")
        try check(daemon, target("w=20&q=75", at: "/_next/image"), varies: "Accept")
        try check(
            daemon, "/cdn-cgi/image/width=20,format=auto/\(origin.url("/gone").absolute)", varies: "Accept")
        for options in ["w=20", "w=20&output=webp", "output=json", "output=raw"] {
            try check(daemon, target(options), varies: nil)
        }
    }

    @Test func `hints, where they are read`() throws {
        let daemon = try DaemonUnderTest([
            "--client-hints-enabled", "true", "--client-hints-widths", "100,200",
        ])
        try check(
            daemon, target("w=auto&q=80"),
            varies: "Sec-CH-Width, Width, Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR")
        try check(daemon, target("w=20"), varies: "Save-Data")
        try check(daemon, target("w=20&output=auto"), varies: "Accept, Save-Data")
        try check(daemon, target("w=20&q=80"), varies: nil)
    }

    @Test func `a redirect to a default picture does so as well`() throws {
        let daemon = try DaemonUnderTest(["--options-default-hosts", "b.com"])
        try check(daemon, target("output=auto&default=https://b.com/x"), status: 302, varies: "Accept")
        try check(daemon, target("default=https://b.com/x"), status: 302, varies: nil)
    }

    @Test func `beside the site that asks`() throws {
        let daemon = try DaemonUnderTest(["--cors-allow", "https://shop.example"])
        try check(daemon, target("output=auto"), varies: "Accept, Origin")
    }
}
