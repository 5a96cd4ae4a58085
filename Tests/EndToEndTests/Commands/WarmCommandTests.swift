// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("pictor warm asks a daemon for the pictures of a list, a sitemap or a page", .endToEnd)
struct WarmCommandTests {
    private let origin = ScriptedOrigin { peer in
        if peer.target.hasPrefix("/missing") {
            peer.answer("404 Not Found")
        } else {
            peer.picture(Pictures.gradient(60, 40))
        }
    }
    private let folder = TemporaryFolder()

    private func url(_ target: String) -> String { origin.url(target).absolute }

    private func write(_ text: String, to name: String) throws -> String {
        let path = folder.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func warm(
        _ arguments: [String], _ daemon: DaemonUnderTest, environment: [String: String] = [:]
    ) throws -> PictorCommand {
        try PictorCommand(
            ["warm", "--to", "127.0.0.1:\(daemon.port)"] + arguments, environment: environment)
    }

    /// How the daemon answers now.
    private func outcome(_ target: String, _ daemon: DaemonUnderTest) throws -> String {
        try daemon.get(target, fields: [("Accept", "image/avif,image/webp,*/*")])["Cache-Status"] ?? "none"
    }

    @Test func `a list is asked for by each query, and what failed is told`() throws {
        let daemon = try DaemonUnderTest()
        let list = try write(
            "# sources\n\(url("/a.png"))\n\n\(url("/b.png?c=d&e=f"))\n\(url("/a.png"))\n\(url("/missing.png"))\nhttp://a b/\n",
            to: "list")
        let command = try warm([list, "--query", "w=20", "--query", "w=30&output=webp"], daemon)
        #expect(command.status == 1)
        #expect(
            command.error.contains("4 there (") && command.error.contains(", 3 failed\n"), "\(command.error)")
        #expect(command.error.contains("404 origin_status") && command.error.contains("\"http://a b/\": "))
        #expect(origin.heads.count { $0.hasPrefix("GET /missing") } == 1)
        let asked = origin.accepted
        for source in [url("/a.png"), url("/b.png?c=d&e=f")] {
            for options in ["w=20", "w=30&output=webp"] {
                let status = try outcome(DaemonUnderTest.target(source, options), daemon)
                #expect(status.contains("hit"), "\(status)")
            }
        }
        #expect(origin.accepted == asked)
    }

    @Test func `why standard input cannot be read is told in the system's words`() throws {
        let told = try #require(try Program.shell("pictor warm - <&-; echo $?", folder: folder.path)).output
        #expect(told == "Error: -: read: Bad file descriptor\n1\n")
    }

    @Test func `a list of sources without --query is told as such`() throws {
        let daemon = try DaemonUnderTest()
        let command = try warm([write("\(url("/a.png"))\n", to: "list")], daemon)
        #expect(command.status == 1)
        #expect(
            command.error
                == "Error: /a.png: 404 not_found\n0 there, 1 failed\n"
                + "1 are no URLs of Pictor's: where the list is of sources, say by --query what is made of each\n"
        )
    }

    @Test func `a page gives Pictor's own URLs, with those of its srcset`() throws {
        let daemon = try DaemonUnderTest()
        let source = url("/a.png").addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let page = try write(
            """
            <!doctype html><title>a < b</title><script>"<img src='/img?url=no'>"</script><!-- <img src=/no> -->
            <img src="/img?url=\(source)&amp;w=20" srcset="/img?url=\(source)&amp;w=40 2x, /img?url=\(source)&amp;w=50 3x">
            <picture><source srcset='https://img.example/img?url=\(source)&amp;w=55'><IMG SRC=relative.png></picture>
            <img src="data:image/png;base64,AAAA"><a href="/other">
            """, to: "page.html")
        let command = try warm([page, "--json"], daemon)
        #expect(command.status == 0, "\(command.error)")
        #expect(command.error.contains("4 there") && command.error.contains("1 relative URLs left out"))
        let targets = try command.lines.map { line in
            try #require(
                (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["target"] as? String)
        }
        #expect(Set(targets) == Set([20, 40, 50, 55].map { "/img?url=\(source)&w=\($0)" }))
    }

    @Test func `a sitemap gives its pictures, and a later run goes on with the record`() throws {
        let daemon = try DaemonUnderTest()
        let sitemap = try write(
            """
            <?xml version="1.0"?><urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
            <url><loc>https://shop.example/</loc><image:image><image:loc>\(url("/a.png"))</image:loc></image:image>
            <image:image><image:loc><![CDATA[\(url("/b.png?x=1&y=2"))]]></image:loc></image:image></url></urlset>
            """, to: "sitemap.xml")
        let record = folder.path + "/record"
        let first = try warm([sitemap, "--query", "w=20", "--state", record], daemon)
        #expect(first.status == 0 && first.error.contains("2 there"), "\(first.error)")
        #expect(origin.heads.contains { $0.hasPrefix("GET /b.png?x=1&y=2 ") })
        // A run that was ended in the middle of a line.
        try (String(contentsOfFile: record, encoding: .utf8) + "/img?torn").write(
            toFile: record, atomically: true, encoding: .utf8)
        let second = try warm([sitemap, "--query", "w=20", "--query", "w=30", "--state", record], daemon)
        #expect(
            second.status == 0 && second.error.contains("2 there")
                && second.error.contains("0 failed, 2 done before"))
        let third = try warm([sitemap, "--query", "w=20", "--query", "w=30", "--state", record], daemon)
        #expect(third.status == 0 && third.error.contains("0 there, 0 failed, 4 done before"))
    }

    @Test func `where URLs must be signed, the settings' key signs them`() throws {
        let keys = [
            "PICTOR_SIGNATURES_KEYS": String(repeating: "k", count: 40), "PICTOR_SIGNATURES_REQUIRED": "all",
        ]
        let daemon = try DaemonUnderTest(environment: keys)
        let list = try write(url("/a.png"), to: "list")
        let refused = try warm([list, "--query", "w=20"], daemon)
        #expect(refused.status == 1 && refused.error.contains("401 signature_missing"), "\(refused.error)")
        #expect(try warm([list, "--query", "w=20"], daemon, environment: keys).status == 0)
    }

    @Test(arguments: [
        (["--query", "w=none"], "w"), (["--query", "w=2&url64=aGk"], "The parameter url64 is not given"),
        (["--query", "w=2&%75rl64=aGk"], "The parameter url64 is not given"),
        (["--rate", "0"], "--rate"), (["--connections", "0"], "--connections"),
        (["--accept", "a\nb: c"], "--accept"), (["--base", "/relative"], "--base"),
        (["--to", "nonsense"], "--to"), (["--to", "http://127.0.0.1:8080"], "--to"),
    ])
    func `a wrong command line is told before anything is asked`(arguments: [String], word: String) throws {
        let daemon = try DaemonUnderTest()
        let list = try write(url("/a.png"), to: "list")
        let command = try warm([list] + arguments, daemon)
        #expect(command.status == 64 && command.error.contains(word), "\(command.error)")
        #expect(origin.accepted == 0)
    }

    @Test func `what a daemon puts off is asked again, four times in all`() throws {
        let busy = ScriptedOrigin { peer in
            peer.answer("503 Busy", fields: ["Retry-After: 0"])
            peer.close()
        }
        let list = try write("/img?a", to: "list")
        let command = try PictorCommand(["warm", "--to", "127.0.0.1:\(busy.port)", list])
        #expect(command.status == 1 && command.error.contains("503 no_answer"), "\(command.error)")
        #expect(busy.heads.map { $0.prefix(4) } == ["HEAD", "HEAD", "HEAD", "HEAD", "GET "])
        #expect(busy.heads.allSatisfy { $0.contains("Accept: image/avif,image/webp,*/*\r\n") })
    }

    @Test func `a picture whose AVIF is made behind the answer is asked for until that is there`() throws {
        let looks = Latch()
        let daemon = ScriptedOrigin { peer in
            looks.signal()
            peer.answer(
                fields: looks.count < 3
                    ? ["Pictor-Note: avif-later", "Cache-Status: pictor; fwd=uri-miss; detail=rendered"]
                    : ["Cache-Status: pictor; hit; detail=disk-hit"])
            peer.close()
        }
        let (list, record) = (try write("/img?a", to: "list"), folder.path + "/record")
        let command = try PictorCommand(["warm", "--to", "127.0.0.1:\(daemon.port)", list, "--state", record])
        #expect(command.status == 0 && command.error.contains("1 there (1 rendered)"), "\(command.error)")
        #expect(looks.count == 3)
        #expect(try String(contentsOfFile: record, encoding: .utf8) == "/img?a\n")
    }

    @Test func `a picture whose AVIF cannot be made fails as soon as the daemon knows`() throws {
        let looks = Latch()
        let daemon = ScriptedOrigin { peer in
            looks.signal()
            peer.answer(fields: ["Pictor-Note: \(looks.count < 2 ? "avif-later" : "avif-not-made")"])
            peer.close()
        }
        let (list, record) = (try write("/img?a", to: "list"), folder.path + "/record")
        let command = try PictorCommand(["warm", "--to", "127.0.0.1:\(daemon.port)", list, "--state", record])
        #expect(command.status == 1 && command.error.contains("200 avif-not-made"), "\(command.error)")
        #expect(looks.count == 2)
        #expect(try String(contentsOfFile: record, encoding: .utf8).isEmpty)
    }

    @Test func `a sitemap that is compressed is read, and one that swells is refused`() throws {
        let daemon = try DaemonUnderTest()
        let sitemap = "<urlset><url><image:loc>\(url("/a.png"))</image:loc></url></urlset>"
        let packed = folder.path + "/sitemap.xml.gz"
        try Data(Compression.compress(Array(sitemap.utf8), as: .gzip)).write(to: URL(filePath: packed))
        let command = try warm([packed, "--query", "w=20"], daemon)
        #expect(command.status == 0, "\(command.error)")
        #expect(
            try outcome(DaemonUnderTest.target(url("/a.png"), "w=20"), daemon).contains("hit"))
        let bomb = Compression.compress([UInt8](repeating: 0x20, count: 65 << 20), as: .gzip)
        try Data(bomb).write(to: URL(filePath: packed))
        let refused = try warm([packed], daemon)
        #expect(refused.status == 1 && refused.error.contains("longer than 64 MiB"), "\(refused.error)")
    }

    @Test func `a list that is longer than may be is refused`() throws {
        let path = try write("", to: "long")
        #expect(truncate(path, 65 << 20) == 0)
        let command = try PictorCommand(["warm", path, "--query", "w=30"])
        #expect(command.status == 1 && command.error.contains("is longer than 64 MiB"), "\(command.error)")
    }

    @Test func `an index of sitemaps, a damaged file and a daemon that is away are told`() throws {
        let daemon = try DaemonUnderTest()
        let index = try write(
            "<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>", to: "i")
        #expect(try warm([index], daemon).error.contains("index of sitemaps"))
        let packed = folder.path + "/packed"
        try Data([0x1F, 0x8B, 8, 0]).write(to: URL(filePath: packed))
        #expect(try warm([packed], daemon).error.contains("damaged or cut off"))
        let list = try write("/img?url=http://a.example/a.png", to: "list")
        let nowhere = "unix:" + folder.path + "/none"
        let away = try PictorCommand(["warm", "--to", nowhere, list])
        #expect(
            away.status == 1 && away.error.contains("nobody answers at \(nowhere): connect:"), "\(away.error)"
        )
        #expect(try warm([folder.path + "/absent"], daemon).status == 1)
    }
}
