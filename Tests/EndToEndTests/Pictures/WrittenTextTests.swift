// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("Text is written by a decoder in its jail", .endToEnd)
struct WrittenTextTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.flat(300, 200, [0, 0, 200])) }

    private func daemon(_ flags: [String] = []) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--decoder-jail", "require", "--decoder-processes", "1", "--decoder-fonts", "sans,DejaVu Serif"]
                + flags)
    }

    @Test func `whatever it says, the decoder lives`() throws {
        let daemon = try daemon()
        var tags: Set<String?> = [try daemon.get(origin.url(), "output=png")["ETag"]]
        var bodies: Set<[UInt8]> = []
        let texts = [
            "Hello", "%D9%85%D8%B1%D8%AD%D8%A8%D8%A7", "%F0%9F%91%8D%F0%9F%8F%BD",
            "%3Cspan%20size=%22900000%22%3E", "%26amp;",
            "%E5%9C%93", "%F4%8F%BF%BD", "%EF%B7%BD",
        ]
        for text in texts {
            let reply = try daemon.get(origin.url(), "output=png&text=\(text)")
            #expect(reply.status == 200, "\(text): \(reply.text)")
            tags.insert(reply["ETag"])
            bodies.insert(Array(reply.body))
        }
        #expect(tags.count == texts.count + 1 && bodies.count > texts.count / 2)
        #expect(try daemon.get(origin.url(), "output=png&text=%E2%80%8B").status == 200)
        let large = String(repeating: "W", count: 200)
        #expect(try daemon.get(origin.url(), "text=\(large)&tsize=500").status == 413)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `a font is one of the settings', the first if none is named`() throws {
        let daemon = try daemon()
        let usual = try daemon.get(origin.url(), "output=png&text=Hg")
        #expect(try daemon.get(origin.url(), "output=png&text=Hg&tfont=sans")["ETag"] == usual["ETag"])
        let serif = try daemon.get(origin.url(), "output=png&text=Hg&tfont=DejaVu%20Serif")
        #expect(serif.status == 200 && serif.body != usual.body)
        let other = try daemon.get(origin.url(), "text=Hg&tfont=mono")
        #expect(other.status == 400 && other.text.contains("`sans` `DejaVu Serif`"), "\(other.text)")
    }

    @Test func `without fonts in the settings there is no text`() throws {
        let reply = try DaemonUnderTest().get(origin.url(), "text=Hg")
        #expect(reply.status == 400 && reply.text.contains("decoder.fonts"), "\(reply.text)")
    }

    @Test func `imagor's label is a text`() throws {
        let daemon = try daemon(["--imagor-enabled", "true", "--imagor-path", "/imagor"])
        let label = "filters:format(png):label(Hg,-10,20p,40,ff8800,25)"
        let imagor = try daemon.get("/imagor/unsafe/\(label)/\(origin.url().absolute)")
        let native = try daemon.get(
            origin.url(), "output=png&n=-1&text=Hg&tpos=tr&tx=10&ty=20%25&tsize=40&tcol=bfff8800")
        #expect(imagor.status == 200 && imagor.body == native.body, "\(imagor.text.prefix(200))")
    }

    @Test func `imagor's text is one too, with lines of its own`() throws {
        let daemon = try daemon(["--imagor-enabled", "true", "--imagor-path", "/imagor"])
        let text = "filters:format(png):text(Hg%0Aa,-10,20p,DejaVu-Serif-40,ff8800,25,,120,centre)"
        let imagor = try daemon.get("/imagor/unsafe/\(text)/\(origin.url().absolute)")
        let native = try daemon.get(
            origin.url(),
            "output=png&n=-1&text=Hg%0Aa&tpos=tr&tx=10&ty=20%25&tsize=40&tcol=bfff8800&tfont=DejaVu%20Serif&twidth=120&talign=center"
        )
        #expect(imagor.status == 200 && imagor.body == native.body, "\(imagor.text.prefix(200))")
        let other = try daemon.get("/imagor/unsafe/filters:text(Hg,0,0,mono-9)/\(origin.url().absolute)")
        #expect(other.status == 400 && other.text.contains("`sans` `DejaVu Serif`"), "\(other.text)")
    }
}
