// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("A drawing may stay one", .endToEnd)
struct KeptDrawingTests {
    private static let drawing = """
        <?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="60" height="40" onload="alert(1)">
        <script>alert(2)</script><style>.a{fill:red}</style><rect class="a" width="60" height="40"/></svg>
        """
    private static let clean = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="60" height="40">\
        <style>.a{fill:red}</style><rect class="a" width="60" height="40"/></svg>
        """

    private let origin = ScriptedOrigin {
        switch $0.target {
        case "/photo": $0.picture(Pictures.gradient(60, 40))
        case "/entity":
            $0.picture(
                Array("<!DOCTYPE svg [<!ENTITY a 'b'>]>\(KeptDrawingTests.drawing.dropFirst(21))".utf8))
        default: $0.picture(Array(KeptDrawingTests.drawing.utf8))
        }
    }

    private func daemon(_ flags: [String] = []) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--decoder-formats", "jpeg,png,svg", "--encoder-svg", "true", "--decoder-jail", "prefer"] + flags
        )
    }

    @Test func `it is answered harmless, whatever size is asked for`() throws {
        let daemon = try daemon()
        for options in ["svg", "svg&w=30", "svg&w=30&output=auto&bg=red"] {
            let reply = try daemon.get(origin.url("/drawing"), options)
            #expect(reply.status == 200 && reply.text == Self.clean)
            #expect(reply["Content-Type"] == "image/svg+xml")
            #expect(reply["X-Content-Type-Options"] == "nosniff")
            #expect(
                reply["Content-Security-Policy"]
                    == "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox")
        }
        let tags = try ["svg", "svg&w=30"].map { try daemon.get(origin.url("/drawing"), $0)["ETag"] }
        #expect(tags[0] == tags[1])
        #expect(try daemon.metric("pictor_renders_total{format=\"svg\"}") == 1)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `one without a pixel is damaged, whatever is asked for`() throws {
        let origin = ScriptedOrigin {
            $0.picture(Array("<svg xmlns='http://www.w3.org/2000/svg' width='0' height='40'/>".utf8))
        }
        let daemon = try daemon()
        for options in ["svg", "w=30", "output=json"] {
            let reply = try daemon.get(origin.url("/drawing"), options)
            #expect(reply.status == 422 && reply.text.contains("damaged_image"), "\(options)")
        }
    }

    @Test func `a format that is named is made, and so are other pictures`() throws {
        let daemon = try daemon()
        for (path, options, type) in [
            ("/drawing", "svg&output=png", "image/png"), ("/drawing", "w=30", "image/png"),
            ("/photo", "svg&w=30", "image/png"), ("/drawing", "svg=0", "image/png"),
        ] {
            let reply = try daemon.get(origin.url(path), options)
            #expect(reply["Content-Type"] == type, "\(path) \(options)")
            #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
        }
        let raw = try daemon.get(origin.url("/drawing"), "output=raw")
        #expect(raw.text == Self.drawing && raw["Content-Security-Policy"] == "default-src 'none'; sandbox")
    }

    @Test func `a drawing that declares entities is refused as one, and drawn`() throws {
        let daemon = try daemon()
        let refused = try daemon.get(origin.url("/entity"), "svg")
        #expect(refused.status == 422 && refused.text.contains("drawing_refused"), "\(refused.text)")
        #expect(try daemon.get(origin.url("/entity"), "w=30").status == 200)
    }

    @Test func `without the setting there is none`() throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png,svg"])
        let refused = try daemon.get(origin.url("/drawing"), "svg")
        #expect(refused.status == 415 && refused.text.contains("format_not_allowed"))
        let next =
            "/_next/image" + DaemonUnderTest.target(origin.url("/drawing").absolute, "w=30&q=75").dropFirst(4)
        #expect(
            try daemon.get(String(next), fields: [("Accept", "image/webp")])["Content-Type"] == "image/webp")
    }

    @Test func `imgproxy's and Next's URLs pass it on`() throws {
        let daemon = try daemon(["--imgproxy-enabled", "true", "--imgproxy-path", "/imgproxy"])
        let next =
            "/_next/image" + DaemonUnderTest.target(origin.url("/drawing").absolute, "w=30&q=75").dropFirst(4)
        let source = origin.url("/drawing").absolute
        for target in [
            String(next), "/imgproxy/unsafe/rs:fit:30:30/plain/\(source)",
            "/imgproxy/unsafe/rs:fit:30:30/plain/\(source)@svg",
        ] {
            let reply = try daemon.get(target, fields: [("Accept", "image/webp")])
            #expect(reply.status == 200 && reply.text == Self.clean, "\(target): \(reply.status)")
        }
        let png = try daemon.get("/imgproxy/unsafe/rs:fit:30:30/plain/\(source)@png")
        #expect(png["Content-Type"] == "image/png")
    }

    @Test func `Cloudflare's URLs pass it on where they name no format`() throws {
        let daemon = try daemon(["--cloudflare-enabled", "true"])
        let source = origin.url("/drawing").absolute
        for options in ["w=30", "w=30,f=auto,fit=cover,h=30", "q=50,onerror=redirect"] {
            let reply = try daemon.get(
                "/cdn-cgi/image/\(options)/\(source)", fields: [("Accept", "image/webp")])
            #expect(reply.status == 200 && reply.text == Self.clean, "\(options): \(reply.status)")
        }
        let png = try daemon.get("/cdn-cgi/image/w=30,f=png/\(source)")
        #expect(png["Content-Type"] == "image/png")
        let photo = try daemon.get("/cdn-cgi/image/w=30/\(origin.url("/photo").absolute)")
        #expect(photo["Content-Type"] == "image/png")
    }

    @Test func `of another picture no SVG is made, as imgproxy makes none`() throws {
        let daemon = try daemon(["--imgproxy-enabled", "true", "--imgproxy-path", "/imgproxy"])
        let source = origin.url("/photo").absolute
        for _ in 1...2 {
            let refused = try daemon.get("/imgproxy/unsafe/rs:fit:30:30/plain/\(source)@svg")
            #expect(refused.status == 415 && refused.text.contains("is no SVG"), "\(refused.text)")
            #expect(try daemon.get("/imgproxy/unsafe/rs:fit:30:30/plain/\(source)").status == 200)
        }
        #expect(try daemon.get("/imgproxy/unsafe/raw:1/plain/\(source)@svg")["Content-Type"] == "image/png")
    }

    @Test func `one that says no size is taken as well`() throws {
        let origin = ScriptedOrigin {
            $0.picture(Array("<svg xmlns='http://www.w3.org/2000/svg'><g/></svg>".utf8))
        }
        let reply = try daemon().get(origin.url(), "svg")
        #expect(reply.status == 200 && reply.text.hasSuffix("><g/></svg>"))
    }
}
