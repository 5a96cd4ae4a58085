// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("What the pages for those who come from elsewhere say of URLs is what comes", .endToEnd)
struct PeerTableTests {
    private let origin = ScriptedOrigin { peer in
        switch peer.target.prefix(while: { $0 != "?" }) {
        case "/gone": peer.answer("404 Not Found")
        case "/text": peer.answer(body: "no picture".utf8)
        case "/w": peer.picture(Pictures.flat(20, 10, [255, 0, 0]))
        case "/favicon.ico": peer.picture(WindowsPictures.icon(64))
        case "/a.bmp": peer.picture(WindowsPictures.bitmap(40, 20))
        case "/animation": peer.picture(Pictures.animation(60, 40, frames: 3))
        default: peer.picture(Pictures.gradient(400, 300))
        }
    }

    private func url(_ path: String) -> String { origin.url(path).absolute }

    /// Each row is asked for; a refusal names what is refused.
    private func check(
        _ page: String, least: Int = 40, share: Double,
        ask: (PeerTable.Row) throws -> Connection.Reply
    ) throws {
        let table = try PeerTable(page)
        #expect(table.rows.count >= least)
        #expect(Set(table.rows.map(\.words)).count == table.rows.count)
        #expect(table.share >= share, "\(table.share)")
        for row in table.rows {
            let reply = try ask(row)
            let isRefusal = row.isMissing || row.isForeign
            #expect(
                PeerTable.result(of: reply) == (isRefusal ? "400" : row.result),
                "\(page): \(row.words): \(reply.text.prefix(200))")
            if isRefusal { #expect(reply.text.contains("is not supported."), "\(row.words): \(reply.text)") }
            if let sentence = row.sentence { #expect(reply.text == sentence, "\(row.words)") }
        }
    }

    @Test(arguments: [("thumbor", 1), ("imagor", 1)])
    func `thumbor and imagor`(name: String, share: Double) throws {
        let daemon = try DaemonUnderTest([
            "--\(name)-enabled", "true", "--decoder-fonts", "sans,sans bold",
        ])
        try check(name, share: share) { row in
            let operations = row.words.replacing("IMAGE", with: url("/w").replacing("/", with: "%2F"))
            return try daemon.get("/\(name)/unsafe/\(operations)\(url("/photo.png"))")
        }
    }

    @Test func `imgproxy`() throws {
        let daemon = try DaemonUnderTest([
            "--imgproxy-enabled", "true", "--imgproxy-presets", "thumb=rs:fill:200:200/q:80",
        ])
        let code = Data(url("/photo.png").utf8).base64EncodedString().replacing("+", with: "-").replacing(
            "/", with: "_")
        try check("imgproxy", share: 0.95) { row in
            let path = row.words.replacing("SOURCE", with: url("/photo.png")).replacing("BASE64", with: code)
            return try daemon.get("/insecure/\(path.replacing("ANIMATION", with: url("/animation")))")
        }
    }

    @Test func `cloudflare`() throws {
        let daemon = try DaemonUnderTest([
            "--cloudflare-enabled", "true", "--client-hints-enabled", "true",
        ])
        try check("cloudflare", share: 0.95) { row in
            try daemon.get("/cdn-cgi/image/\(row.words)/\(url("/photo.png"))")
        }
    }

    @Test func `wsrv`() throws {
        let daemon = try DaemonUnderTest()
        try check("wsrv", share: 1) { row in
            try daemon.get("/?url=\(url("/photo.png"))" + (row.words.isEmpty ? "" : "&\(row.words)"))
        }
    }

    @Test func `next`() throws {
        let daemon = try DaemonUnderTest([
            "--next-widths", "128,256,640", "--next-qualities", "50,75", "--next-base-url", url("/"),
            "--origin-deny-hosts", "closed.example",
        ])
        try check("next", share: 1) { row in
            let query = row.words.replacing("SOURCE", with: url("/photo.png")).replacing(
                "ANIMATION", with: url("/animation"))
            return try daemon.get("/_next/image?\(query)", fields: [("Accept", "image/webp,*/*")])
        }
    }
}
