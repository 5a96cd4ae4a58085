// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import SourceURLs
import Testing

@Suite("With encoder.avif-later a request does not wait for AVIF that Accept chose", .endToEnd)
struct LaterFormatTests {
    private static let both = [("Accept", "image/avif,image/webp,*/*")]

    private static func serving() -> ScriptedOrigin {
        ScriptedOrigin {
            $0.answer(
                fields: ["Cache-Control: max-age=86400", "Last-Modified: Sun, 01 Jun 2025 00:00:00 GMT"],
                body: Pictures.gradient(240, 160))
        }
    }

    /// Seconds that are left of the answer's lifetime for clients.
    private func secondsLeft(_ reply: Connection.Reply) throws -> Int {
        let control = try #require(reply["Cache-Control"]?.firstMatch(of: /^public, max-age=([0-9]+)/))
        return try #require(Int(control.1)) - (reply["Age"].flatMap { Int($0) } ?? 0)
    }

    @Test func `it gets WebP for a minute, and the next one gets the AVIF`() throws {
        let origin = Self.serving()
        // A least lifetime holds for what stays, and not for a substitute.
        let daemon = try DaemonUnderTest([
            "--encoder-avif-later", "true", "--cache-client-minimum-lifetime", "1h",
        ])
        let first = try daemon.get(origin.url(), "w=120&output=auto", fields: Self.both)
        #expect((first.status, first["Content-Type"]) == (200, "image/webp"), "\(first.text)")
        #expect((first["Vary"], first["Pictor-Note"]) == ("Accept", "avif-later"))
        let left = try secondsLeft(first)
        #expect((1...60).contains(left))
        #expect(first["Last-Modified"] == nil)
        #expect(first["Server-Timing"]?.hasSuffix(", avif;desc=later") == true)
        #expect(try Patience.until { try daemon.metric("pictor_later_renditions_total") == 1 })
        #expect(try daemon.metric("pictor_substitutes_total") == 1)

        // From the disk, and then from memory.
        for _ in 1...2 {
            let then = try daemon.get(origin.url(), "w=120&output=auto", fields: Self.both)
            #expect((then.status, then["Content-Type"]) == (200, "image/avif"))
            #expect((then["Vary"], then["Pictor-Note"]) == ("Accept", nil))
            #expect(then["ETag"] != nil && then["ETag"] != first["ETag"])
            #expect(try secondsLeft(then) > 3_600)
            #expect(then["Last-Modified"] != nil)
        }
        #expect(try daemon.metric("pictor_renders_total") == 2)

        // What a cache holds of the substitute is confirmed no more, and is what clients without AVIF get.
        let tag = try #require(first["ETag"])
        let asked = try daemon.get(
            origin.url(), "w=120&output=auto", fields: Self.both + [("If-None-Match", tag)])
        #expect((asked.status, asked["Content-Type"]) == (200, "image/avif"))
        let plain = try daemon.get(
            origin.url(), "w=120&output=auto", fields: [("Accept", "image/webp"), ("If-None-Match", tag)])
        #expect((plain.status, plain["ETag"], plain["Pictor-Note"]) == (304, tag, nil))
    }

    @Test func `whoever names AVIF gets it at once`() throws {
        let origin = Self.serving()
        let daemon = try DaemonUnderTest(["--encoder-avif-later", "true"])
        let named = try daemon.get(origin.url(), "w=120&output=avif", fields: Self.both)
        #expect((named.status, named["Content-Type"], named["Pictor-Note"]) == (200, "image/avif", nil))
        #expect(try daemon.metric("pictor_substitutes_total") == 0)
    }

    @Test func `pictor warm waits for the AVIF`() throws {
        let (origin, folder) = (Self.serving(), TemporaryFolder())
        let daemon = try DaemonUnderTest(["--encoder-avif-later", "true"])
        let list = folder.path + "/list"
        try origin.url().absolute.write(toFile: list, atomically: true, encoding: .utf8)
        let command = try PictorCommand([
            "warm", "--to", "127.0.0.1:\(daemon.port)", list, "--query", "w=120&output=auto",
        ])
        #expect(command.status == 0 && command.error.contains("1 there"), "\(command.error)")
        let then = try daemon.get(origin.url(), "w=120&output=auto", fields: Self.both)
        #expect((then["Content-Type"], then["Pictor-Note"]) == ("image/avif", nil))
    }

    @Test func `explain tells why`() throws {
        let origin = Self.serving()
        let daemon = try DaemonUnderTest(["--encoder-avif-later", "true"])
        // The original is held, and no picture of it.
        #expect(try daemon.get(origin.url(), "output=json").status == 200)
        let target = DaemonUnderTest.target(origin.url(), "w=120&output=auto").replacing(
            "/img?", with: "/admin/explain?")
        let told = try daemon.admin(target, fields: Self.both)
        #expect(told.text.contains("beside AVIF, which is made behind the answer"), "\(told.text)")
        // As in the answer, and not a day.
        let control = told.text.firstMatch(of: /"cache_control":"public, max-age=6[0-9][",]/)
        #expect(control != nil, "\(told.text)")
    }
}
