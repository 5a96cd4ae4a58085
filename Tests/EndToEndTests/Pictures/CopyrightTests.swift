// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("A picture's copyright goes with it if asked, and nothing else does", .endToEnd)
struct CopyrightTests {
    /// A JPEG whose EXIF has an artist, a copyright, and what looks like a position.
    private static func picture(from daemon: DaemonUnderTest) throws -> [UInt8] {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(200, 100)) }
        let jpeg = Array(try daemon.get(origin.url(), "output=jpg").body)
        func big(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(value >> (8 * (size - 1 - $0)) & 255) }
        }
        let texts = [(315, "Jane Doe"), (0x8769, "secret position"), (33_432, "(c) 2026 Doe")]
        var (entries, data): ([UInt8], [UInt8]) = ([], [])
        for (tag, text) in texts {
            entries += big(tag, 2) + big(2, 2) + big(text.utf8.count + 1, 4) + big(14 + 36 + data.count, 4)
            data += Array(text.utf8) + [0]
        }
        let tiff = Array("MM\0*".utf8) + big(8, 4) + big(3, 2) + entries + big(0, 4) + data
        let payload = Array("Exif\0\0".utf8) + tiff
        return Array(jpeg[..<2]) + [0xFF, 0xE1] + big(payload.count + 2, 2) + payload + jpeg[2...]
    }

    private func says(_ body: some Collection<UInt8>, _ words: String) -> Bool {
        Array(body).firstRange(of: Array(words.utf8)) != nil
    }

    @Test func `each format says it, in every dialect that has words for it`() throws {
        let daemon = try DaemonUnderTest([
            "--decoder-jail", "require", "--imgproxy-enabled", "true", "--imgproxy-path", "/_",
            "--cloudflare-enabled", "true",
        ])
        let jpeg = try Self.picture(from: daemon)
        let origin = ScriptedOrigin { $0.picture(jpeg) }
        let source = origin.url("/a").absolute
        for output in ["jpg", "png", "webp", "avif"] {
            for (target, isKept) in [
                ("/img?url=\(source)&w=50&output=\(output)&metadata=copyright", true),
                ("/img?url=\(source)&w=50&output=\(output)", false),
                ("/_/insecure/w:50/plain/\(source)@\(output)", true),
                ("/_/insecure/w:50/kcr:0/plain/\(source)@\(output)", false),
                ("/cdn-cgi/image/w=50,format=\(output)/\(source)", output == "jpg"),
                ("/cdn-cgi/image/w=50,format=\(output),metadata=copyright/\(source)", true),
                ("/cdn-cgi/image/w=50,format=\(output),metadata=none/\(source)", false),
            ] {
                let reply = try daemon.get(target)
                #expect(reply.status == 200, "\(target): \(reply.text)")
                #expect(says(reply.body, "Jane Doe") == isKept, "\(target)")
                #expect(says(reply.body, "(c) 2026 Doe") == isKept, "\(target)")
                #expect(!says(reply.body, "secret"), "\(target)")
            }
        }
        let refused = try daemon.get("/img?url=\(source)&metadata=all")
        #expect(refused.status == 400 && refused.text.contains("metadata"))
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `a picture that names nobody is one rendition for all who ask`() throws {
        let daemon = try DaemonUnderTest([
            "--imgproxy-enabled", "true", "--imgproxy-path", "/_", "--cloudflare-enabled", "true",
        ])
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(200, 100)) }
        let source = origin.url("/a").absolute
        let targets = [
            "/img?url=\(source)&w=50&output=webp", "/img?url=\(source)&w=50&output=webp&metadata=copyright",
            "/_/insecure/w:50/plain/\(source)@webp",
            "/cdn-cgi/image/w=50,format=webp,metadata=copyright/\(source)",
        ]
        let replies = try targets.map { try daemon.get($0) }
        #expect(replies.allSatisfy { $0.status == 200 })
        #expect(Set(replies.map { $0["ETag"] }).count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }
}
