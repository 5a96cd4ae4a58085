// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("Where imgproxy's URLs name no format, a picture has the one that imgproxy gives it", .endToEnd)
struct ImgproxyFormatTests {
    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--imgproxy-enabled", "true"] + flags)
    }

    /// Pictures of 60 by 40 in the formats of their paths.
    private func formats() throws -> ScriptedOrigin {
        let maker = try daemon()
        let drawn = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        func made(_ options: String) throws -> [UInt8] { try Array(maker.get(drawn.url(), options).body) }
        let files = [
            "/jpg": try made("output=jpg"), "/webp": try made("output=webp"),
            "/avif": try made("output=avif"),
            "/glass": try made("output=webp&mask=circle"), "/png": Pictures.gradient(60, 40),
            "/tiff": Pictures.tiff([(60, 40)]), "/gif": Pictures.animation(60, 40, frames: 3),
        ]
        return ScriptedOrigin { $0.picture(files[$0.target] ?? []) }
    }

    @Test func `without a word about the format it is the original's, or one that is preferred`() throws {
        let origin = try formats()
        let daemon = try daemon("--imgproxy-auto-formats", "webp")
        for (path, options, accept, type) in [
            ("/png", "w:30", "*/*", "png"), ("/png", "w:30", "image/png", "png"),
            ("/png", "w:30", "image/avif,image/webp", "webp"), ("/jpg", "w:30", "*/*", "jpeg"),
            ("/webp", "w:30", "*/*", "jpeg"), ("/glass", "w:30", "*/*", "png"),
            ("/avif", "w:30", "*/*", "jpeg"), ("/tiff", "w:30", "image/tiff", "jpeg"),
            ("/gif", "w:30", "*/*", "gif"), ("/gif", "w:30/maf:9", "*/*", "gif"),
            ("/webp", "s:80:80/ex:1", "*/*", "png"), ("/webp", "s:80:80/ex:1/bg:ff0000", "*/*", "jpeg"),
            ("/jpg", "s:80:80/ex:1", "*/*", "jpeg"), ("/png", "s:80:80/ex:1", "*/*", "png"),
        ] {
            let reply = try daemon.get(
                "/_/\(options)/plain/\(origin.url(path).absolute)", fields: [("Accept", accept)])
            #expect(
                reply.status == 200 && reply["Content-Type"] == "image/\(type)",
                "\(path) \(options) \(accept): \(reply["Content-Type"] ?? reply.text)")
            #expect(reply["Vary"] == "Accept")
            let width = options.hasPrefix("s") ? 80 : 30
            #expect(try ImageHeader.parse(reply.body).width == width, "\(path) \(options)")
        }
        let plain = try self.daemon(
            "--imgproxy-preferred-formats", "webp,png")
        for (path, type) in [("/webp", "webp"), ("/png", "png"), ("/jpg", "webp"), ("/gif", "webp")] {
            let reply = try plain.get("/_/w:30/plain/\(origin.url(path).absolute)")
            #expect(reply["Content-Type"] == "image/\(type)" && reply["Vary"] == nil, "\(path)")
        }
        // What is drawn on glass is white in a JPEG.
        let white = try daemon.get("/_/s:80:80/ex:1/plain/\(origin.url("/jpg").absolute)")
        let back = ScriptedOrigin { $0.picture(Array(white.body)) }
        let corner = try daemon.get(back.url(), "cw=1&ch=1&output=png&l=0&af=0")
        #expect(try #require(Pictures.colour(ofPixel: Array(corner.body))).allSatisfy { $0 > 250 })
    }

    @Test func `Accept chooses where the URL names a format too, if the settings enforce it`() throws {
        let origin = try formats()
        let daemon = try daemon(
            "--imgproxy-auto-formats", "webp", "--imgproxy-enforce-auto-formats", "true")
        for (path, named, accept, type) in [
            ("/png", "@jpg", "image/avif,image/webp", "webp"), ("/png", "@jpg", "*/*", "jpeg"),
            ("/webp", "@png", "image/png", "png"), ("/glass", "@jpg", "*/*", "jpeg"),
            ("/gif", "@gif", "image/webp", "webp"), ("/webp", "", "*/*", "jpeg"),
            ("/png", "", "image/webp", "webp"),
        ] {
            let reply = try daemon.get(
                "/_/w:30/plain/\(origin.url(path).absolute)\(named)", fields: [("Accept", accept)])
            #expect(
                reply.status == 200 && reply["Content-Type"] == "image/\(type)" && reply["Vary"] == "Accept",
                "\(path)\(named) \(accept): \(reply["Content-Type"] ?? reply.text)")
        }
        // The original is the answer only where it has the named format.
        for (named, isWhole) in [("@png", true), ("@jpg", false)] {
            let reply = try daemon.get("/_/skp:png/w:30/plain/\(origin.url("/png").absolute)\(named)")
            #expect((try ImageHeader.parse(Array(reply.body)).width == 60) == isWhole, "\(named)")
        }
    }

    @Test func `a format that is not processed is handed on as it came`() throws {
        let picture = Pictures.gradient(60, 40)
        let origin = ScriptedOrigin { $0.picture(picture) }
        let source = origin.url("/a").absolute
        let daemon = try daemon("--imgproxy-auto-formats", "webp")
        let accept = [("Accept", "image/webp,*/*")]
        for (target, fields, type) in [
            ("/_/skp:gif:png/w:10/plain/\(source)@png", [], "image/png"),
            ("/img?url=\(source)&w=10&asis=png,gif", accept, "image/png"),
            ("/img?url=\(source)&w=10&asis=png,gif&output=auto", [], "image/png"),
            ("/_/skp:png/w:10/plain/\(source)@jpg", [], "image/jpeg"),
            ("/_/skp:png/w:10/plain/\(source)", accept, "image/png"),
            ("/_/skp:gif/w:10/plain/\(source)", accept, "image/webp"),
            ("/_/skp:jpg/w:10/plain/\(source)@png", [], "image/png"),
            ("/img?url=\(source)&w=10&asis=jpg", [], "image/png"),
        ] {
            let isHandedOn =
                target.contains("png,gif") && !target.contains("auto") || target.contains("gif:png")
                || target.contains("skp:png") && !target.contains("@")
            for _ in 1...2 {
                let reply = try daemon.get(target, fields: fields)
                #expect(
                    reply.status == 200 && reply["Content-Type"] == type || target.contains("auto"),
                    "\(target)")
                #expect((Array(reply.body) == picture) == isHandedOn, "\(target)")
                if !isHandedOn { #expect(try ImageHeader.parse(Array(reply.body)).width == 10, "\(target)") }
            }
        }
        #expect(origin.heads.count == 1)
        let refused = try daemon.get("/img?url=\(source)&asis=docx")
        #expect(refused.status == 400 && refused.text.contains("asis"))
    }

    @Test func `a quality by format is that of the format that comes out`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let source = origin.url("/a").absolute
        let daemon = try daemon("--imgproxy-auto-formats", "avif,webp")
        for (accept, output, own) in [
            ("image/avif", "avif&q=33", "avif&q=33"), ("image/webp", "webp&q=22", "webp&q=22"),
            ("*/*", "jpg", "png"),
        ] {
            for (target, output) in [
                ("/_/w:30/fq:webp:22:avif:33/plain/\(source)", own),
                ("/img?url=\(source)&w=30&output=auto&fq=avif:33,webp:22", output),
            ] {
                let native = try daemon.get("/img?url=\(source)&w=30&output=\(output)")
                let reply = try daemon.get(target, fields: [("Accept", accept)])
                #expect(reply.status == 200 && reply["ETag"] == native["ETag"], "\(accept) \(target)")
            }
        }
    }
}
