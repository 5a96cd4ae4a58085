// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("The settings' picture stands in for one that cannot be had or made", .endToEnd)
struct FallbackTests: Reloading {
    private let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/gone": peer.answer("404 Not Found")
        case "/closed": peer.answer("403 Forbidden")
        case "/choices": peer.answer("300 Multiple Choices")
        case "/broken": peer.answer("500 Internal Server Error")
        case "/slow": peer.waitForHangup()
        case "/text": peer.answer(body: "no picture".utf8)
        case "/red": peer.picture(Pictures.flat(40, 20, [255, 0, 0]))
        default: peer.picture(Pictures.gradient(60, 40))
        }
    }
    let folder = TemporaryFolder()

    /// A blue picture of 80 by 40.
    private func file() throws -> String {
        let path = "\(folder.path)/fallback.png"
        try Data(Pictures.flat(80, 40, [0, 0, 255])).write(to: URL(filePath: path))
        return path
    }

    @Test func `it has the size and the format that were asked for, its own status and lifetime`() throws {
        let daemon = try DaemonUnderTest(["--fallback-picture", try file(), "--fallback-max-age", "90s"])
        for path in ["/gone", "/text"] {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url(path), "w=20&output=webp")
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply["Content-Type"] == "image/webp")
                #expect(reply["Cache-Control"] == "public, max-age=90")
                #expect(reply["Pictor-Note"] == "fallback" && reply["Link"] == nil)
                let header = try ImageHeader.parse(reply.body)
                #expect(header.width == 20 && header.height == 10)
            }
        }
        #expect(try daemon.metric("pictor_renders_total") == 1, "one rendition for all")
        #expect(try daemon.get(origin.url("/a"), "w=20")["Pictor-Note"] == nil)
        let tag = try #require(try daemon.get(origin.url("/gone"), "w=20")["ETag"])
        #expect(try daemon.get(origin.url("/gone"), "w=20", fields: [("If-None-Match", tag)]).status == 304)
        let rest = try daemon.get(origin.url("/gone"), "w=20&page=9&cx=50&cw=10&output=png")
        #expect(try rest.status == 200 && ImageHeader.parse(rest.body).width == 20)
    }

    @Test func `it is private where credentials open it, ends with its URL, and has no limits of another's`()
        throws
    {
        let profiles = folder.path + "/origins.yaml"
        try "a:\n  match: ['\(origin.url("/red").absolute)']\n  bearer: abc\n".write(
            toFile: profiles, atomically: true, encoding: .utf8)
        let daemon = try DaemonUnderTest([
            "--fallback-picture", origin.url("/red").absolute, "--origin-profiles", profiles,
            "--imgproxy-enabled", "true", "--imgproxy-path", "/proxy",
        ])
        let end = Int(Date().timeIntervalSince1970) + 40
        let reply = try daemon.get(origin.url("/gone"), "w=20&exp=\(end)")
        #expect(reply.status == 200 && reply["Pictor-Note"] == "fallback", "\(reply.text)")
        let control = try #require(reply["Cache-Control"])
        #expect(
            control.hasPrefix("private, max-age=") && control.hasSuffix(", must-revalidate"), "\(control)")
        let limited = try daemon.get("/proxy/_/msfs:10/plain/\(origin.url("/gone").absolute)")
        #expect(limited.status == 200 && limited["Pictor-Note"] == "fallback", "\(limited.text)")
        #expect(try daemon.get("/proxy/_/msfs:10/plain/\(origin.url("/a").absolute)").status >= 400)
    }

    @Test func `a condition or a range that does not hold is told to its client alone`() throws {
        for flags in [[], ["--fallback-max-age", "0s"]] {
            let daemon = try DaemonUnderTest(["--fallback-picture", try file()] + flags)
            for (field, status) in [
                ("If-Match: \"x\"", 412), ("Range: bytes=99999-", 416), ("Range: bytes=0-9", 206),
                ("If-None-Match: *", 304),
            ] {
                let parts = field.components(separatedBy: ": ")
                let reply = try daemon.get(
                    origin.url("/gone"), "w=20&output=auto", fields: [(parts[0], parts[1])])
                #expect(reply.status == status, "\(field)")
                let isOfPicture = status < 400
                #expect((reply["Pictor-Note"] == "fallback") == isOfPicture, "\(field)")
                let control = isOfPicture && flags.isEmpty ? "public, max-age=60" : "no-store"
                #expect(reply["Cache-Control"] == control, "\(field)")
                #expect(reply["Vary"] == "Accept", "\(field)")
            }
        }
    }

    @Test func `the settings choose failures, by the origin's status or else by that of the error`() throws {
        let daemon = try DaemonUnderTest([
            "--fallback-picture", try file(), "--fallback-statuses", "403, 404, 415",
        ])
        func status(_ path: String) throws -> Int { try daemon.get(origin.url(path), "w=20").status }
        for path in ["/gone", "/closed", "/text"] { #expect(try status(path) == 200, "\(path)") }
        // What clients are told of a 403 is the same as of a 500.
        #expect(try status("/broken") == 502)
        let flags = ["--fallback-picture", try file(), "--fallback-statuses", "5xx"]
        let hasty = try DaemonUnderTest(flags + ["--origin-first-byte-timeout", "1s"])
        #expect(try hasty.get(origin.url("/slow"), "w=20").status == 200)
        let patient = try DaemonUnderTest(flags)
        // The origin's 300 is no error, and the answer to it is a 502.
        for path in ["/broken", "/choices"] {
            #expect(try patient.get(origin.url(path), "w=20").status == 200, "\(path)")
        }
        #expect(try patient.get(origin.url("/gone"), "w=20").status == 404)
        let target = DaemonUnderTest.target(origin.url("/gone"), "w=20")
        let explained = try patient.admin(target.replacing("/img?", with: "/admin/explain?")).text
        #expect(!explained.contains("fallback_status"), "\(explained)")
        for text in ["3xx", "404-410", "600", "x"] {
            let command = try PictorCommand(["check", "--fallback-statuses", text])
            #expect(command.status != 0 && command.error.contains("fallback"), "\(command.error)")
        }
    }

    @Test func `the failure is logged and counted as what it is`() throws {
        let daemon = try DaemonUnderTest(["--fallback-picture", try file()])
        #expect(try daemon.get(origin.url("/gone"), "w=20").status == 200)
        let line = try #require(daemon.accessLog(of: 1)?.first)
        #expect(line.contains("origin_status") && line.contains("refused"), "\(line)")
        #expect(
            try Patience.until { try daemon.metric("pictor_refusals_total", "code=\"origin_status\"") == 1 })
        #expect(try daemon.metric("pictor_fallbacks_total") == 1)
    }

    @Test func `it may have the status of the failure, or one of its own`() throws {
        for (setting, status) in [("0", 404), ("410", 410)] {
            let daemon = try DaemonUnderTest([
                "--fallback-picture", try file(), "--fallback-status", setting, "--fallback-max-age", "0s",
                "--encoder-png-compression", "0",
            ])
            let reply = try daemon.get(origin.url("/gone"), "w=1&h=1&fit=fill&output=png")
            #expect(reply.status == status && reply["Cache-Control"] == "no-store")
            #expect(Pictures.colour(ofPixel: reply.body) == [0, 0, 255])
            #expect(reply["ETag"] == nil)
        }
    }

    @Test func `a URL is its place as well, and where that fails too the client gets the error`() throws {
        let daemon = try DaemonUnderTest([
            "--fallback-picture", origin.url("/red").absolute, "--encoder-png-compression", "0",
        ])
        let reply = try daemon.get(origin.url("/gone"), "w=1&h=1&fit=fill&output=png")
        #expect(reply.status == 200 && Pictures.colour(ofPixel: reply.body) == [255, 0, 0])
        let vain = try DaemonUnderTest(["--fallback-picture", origin.url("/gone").absolute])
        #expect(try vain.get(origin.url("/text"), "w=20").status == 415)
    }

    @Test func `what is refused is refused, and a URL's own default goes first`() throws {
        let daemon = try DaemonUnderTest([
            "--fallback-picture", try file(), "--options-default-hosts", "b.com",
            "--origin-deny-hosts", "closed.example",
        ])
        #expect(try daemon.get(origin.url("/gone"), "w=0").status == 400)
        #expect(try daemon.get("/img?url=http://closed.example/a&w=20").status == 400)
        #expect(try daemon.get(origin.url("/a"), "page=9").status == 400)
        #expect(try daemon.get(origin.url("/gone"), "output=json").status == 404)
        #expect(try daemon.get(origin.url("/gone"), "default=https://b.com/x").status == 302)
        #expect(try daemon.get("/nothing").status == 404)
        let signed = try DaemonUnderTest(
            ["--fallback-picture", try file(), "--signatures-required", "all"],
            environment: ["PICTOR_SIGNATURES_KEYS": String(repeating: "a", count: 40)])
        #expect(try signed.get(origin.url("/gone"), "w=20").status == 401)
    }

    @Test func `explain foretells it`() throws {
        let daemon = try DaemonUnderTest(["--fallback-picture", try file(), "--fallback-status", "410"])
        func foretold(_ path: String, _ options: String) throws -> Any? {
            _ = try daemon.get(origin.url(path), options)
            let target = DaemonUnderTest.target(origin.url(path), options)
            let reply = try daemon.admin(target.replacing("/img?", with: "/admin/explain?"))
            let report = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
            return (report?["failure"] as? [String: Any])?["fallback_status"]
        }
        #expect(try foretold("/gone", "w=20") as? Int == 410)
        #expect(try foretold("/gone", "w=20&output=json") == nil)
        #expect(try foretold("/a", "w=20") == nil)
        #expect(try foretold("/a", "page=9") == nil)
    }

    @Test func `a reload changes it, and check tells a mistake`() throws {
        let path = try file()
        try write("fallback:", "  picture: \(path)")
        let daemon = try daemon("--encoder-png-compression", "0")
        func colour() throws -> [UInt8]? {
            Pictures.colour(ofPixel: try daemon.get(origin.url("/gone"), "w=1&h=1&fit=fill&output=png").body)
        }
        #expect(try colour() == [0, 0, 255])
        try write("fallback:", "  picture: \(origin.url("/red").absolute)")
        #expect(try reload(daemon).changed == ["fallback.picture"])
        #expect(try colour() == [255, 0, 0])
        try write("log:", "  level: info")
        #expect(try reload(daemon).changed == ["fallback.picture"])
        #expect(try daemon.get(origin.url("/gone"), "w=20").status == 404)
        for flags in [["--fallback-picture", "/nowhere"], ["--fallback-picture", "ftp://x"]] {
            let command = try PictorCommand(["check"] + flags)
            #expect(command.status == 78 && command.error.contains("fallback.picture"), "\(command.error)")
        }
        let command = try PictorCommand(["check", "--fallback-status", "302"])
        #expect(command.status != 0 && command.error.contains("fallback"), "\(command.error)")
    }
}
