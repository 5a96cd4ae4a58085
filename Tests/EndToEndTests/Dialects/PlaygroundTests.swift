// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestGrammar
import TestSupport
import Testing

@Suite("The playground", .endToEnd)
struct PlaygroundTests {
    private struct Options: Decodable {
        struct Group: Decodable { var options: [Option] }
        struct Option: Decodable {
            var name: String
            var kind: String
            var default_value: String
            var choices: [String]?
        }
        struct Sample: Decodable {
            var url: String
            var file: String
            var thumbnail: String
        }
        struct Dialect: Decodable {
            var name: String
            var is_signed: Bool
        }
        var groups: [Group]
        var samples: [Sample]
        var dialects: [Dialect]
    }

    private func options(_ daemon: DaemonUnderTest) throws -> Options {
        let reply = try daemon.get("/playground/options.json")
        #expect(reply.status == 200)
        return try JSONDecoder().decode(Options.self, from: Data(reply.body))
    }

    @Test func `a loopback listener has it, and the root leads there`() throws {
        let daemon = try DaemonUnderTest()
        let root = try daemon.get("/")
        #expect(root.status == 302)
        #expect(root["Location"] == "/playground")
        let page = try daemon.get("/playground")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Content-Security-Policy"]?.contains("require-trusted-types-for 'script'") == true)
        #expect(page.text.contains("<script type=\"module\" src=\"/playground/main.js\">"))
        let head = try daemon.get("/playground", method: "HEAD")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head["ETag"] == page["ETag"])
        let tag = try #require(page["ETag"])
        #expect(try daemon.get("/playground", fields: [("If-None-Match", tag)]).status == 304)
        let post = try daemon.get("/playground", method: "POST")
        #expect(post.status == 405)
        #expect(post["Allow"] == "GET, HEAD")
        #expect(try daemon.get("/playground?url=a.com&w=3").status == 200)
        #expect(try daemon.get("/playground/none").status == 404)
    }

    @Test(arguments: [
        ["--server-listen", "0.0.0.0:0"], ["--playground-enabled", "false"],
        ["--server-listen", "127.0.0.1:0,0.0.0.0:0"],
    ])
    func `elsewhere, and by the setting, it is off with all that belongs to it`(flags: [String]) throws {
        let daemon = try DaemonUnderTest(flags + ["--origin-deny-hosts", "samples.pictor.invalid"])
        for path in ["/", "/playground", "/playground/options.json", "/playground/recipe?url=a.com"] {
            #expect(try daemon.get(path).status == 404, "\(path)")
        }
        let sample = try daemon.get(DaemonUnderTest.target("https://samples.pictor.invalid/valley.jpg"))
        #expect(sample.status == 400)
        #expect(sample.text.contains("source_refused"))
    }

    @Test func `the setting turns it on everywhere`() throws {
        let daemon = try DaemonUnderTest(["--server-listen", "0.0.0.0:0", "--playground-enabled", "true"])
        #expect(try daemon.get("/playground").status == 200)
    }

    @Test func `a picture of wsrv's URL is still made at the root`() throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get("/?url=samples.pictor.invalid/glass.webp&w=20")
        #expect(reply.status == 200)
        #expect(reply["Content-Type"] == "image/webp")
    }

    @Test func `each option of the table is told, and nothing that vouches or names the source`() throws {
        let daemon = try DaemonUnderTest([
            "--options-presets", "thumb=w=20", "--decoder-fonts", "sans,DejaVu Serif",
        ])
        let told = try options(daemon).groups.flatMap(\.options)
        let names = OptionTable.rows.map(\.name).filter { !["url", "url64", "exp", "sig"].contains($0) }
        #expect(told.map(\.name) == names)
        let kinds = Dictionary(told.map { ($0.name, $0.kind) }) { first, _ in first }
        #expect(kinds["q"] == "number_or")
        #expect(kinds["w"] == "length")
        #expect(kinds["fit"] == "choice")
        #expect(kinds["bg"] == "color")
        #expect(kinds["flip"] == "flag")
        #expect(kinds["con"] == "integer")
        #expect(kinds["dpr"] == "decimal")
        #expect(told.first { $0.name == "preset" }?.choices == ["thumb"])
        let font = told.first { $0.name == "tfont" }
        #expect(font?.kind == "choice" && font?.choices == ["sans", "DejaVu Serif"])
        #expect(font?.default_value == "sans")
    }

    @Test func `text is offered where the settings name fonts`() throws {
        let names = try options(DaemonUnderTest()).groups.flatMap(\.options).map(\.name)
        #expect(Set(names).isDisjoint(with: ["text", "tpos", "tsize", "tfont", "talign", "twidth"]))
        #expect(names.contains("wm") && names.contains("tint"))
    }

    @Test func `it tells which dialects need a signature`() throws {
        let key = String(repeating: "k", count: 32)
        let daemon = try DaemonUnderTest(
            ["--signatures-required", "weserv"], environment: ["PICTOR_SIGNATURES_KEYS": key])
        let signed = try options(daemon).dialects.filter(\.is_signed).map(\.name)
        #expect(signed == ["weserv"])
    }

    @Test func `the samples are served, and pictures are made of them without a connection`() throws {
        let closed = try DaemonUnderTest(["--origin-allow-private", "false", "--origin-allow-hosts", "a.com"])
        let samples = try options(closed).samples
        #expect(samples.count == 6)
        var total = 0
        for sample in samples {
            let file = try closed.get(sample.file)
            #expect(file.status == 200)
            #expect(file["Content-Type"]?.hasPrefix("image/") == true)
            total += file.body.count
            let thumbnail = try closed.get(sample.thumbnail)
            #expect(thumbnail["Content-Type"] == "image/webp")
            #expect(thumbnail.body.count < 3_000)
            let picture = try closed.get(DaemonUnderTest.target(sample.url) + "&w=40&output=webp")
            #expect(picture.status == 200, "\(sample.url): \(picture.text)")
            #expect(picture["Content-Type"] == "image/webp")
        }
        #expect(total <= 110_000)
        let missing = try closed.get(DaemonUnderTest.target("https://samples.pictor.invalid/none.jpg"))
        #expect(missing.status == 404)
        let other = try closed.get(DaemonUnderTest.target("https://samples.pictor.invalid.b.com/valley.jpg"))
        #expect(other.status == 400)
    }

    @Test func `a query is signed for the admin's token and for nobody else`() throws {
        let key = String(repeating: "k", count: 32)
        let daemon = try DaemonUnderTest(
            ["--signatures-required", "all"],
            environment: ["PICTOR_SIGNATURES_KEYS": key, "PICTOR_ADMIN_TOKEN": "a-token-for-tests"])
        let query = "?url=samples.pictor.invalid/glass.webp&w=20"
        #expect(try daemon.get("/img" + query).status == 401)
        for field in [nil, "Bearer a-token-for-test", "Basic a-token-for-tests", "Bearer "] {
            let fields = field.map { [("Authorization", $0)] } ?? []
            let refusal = try daemon.get("/playground/sign" + query, fields: fields)
            #expect(refusal.status == 401)
            #expect(!refusal.text.contains("sig="))
        }
        let token = ("Authorization", "Bearer a-token-for-tests")
        let signed = try daemon.get("/playground/sign" + query, fields: [token])
        #expect(signed.status == 200)
        #expect(signed["Cache-Control"] == "no-store")
        let target = try JSONDecoder().decode([String: String].self, from: Data(signed.body))["url"]
        #expect(try daemon.get(try #require(target)).status == 200)
        #expect(try daemon.get("/playground/sign?url=a.com&w=x", fields: [token]).status == 400)
        let keyless = try DaemonUnderTest(environment: ["PICTOR_ADMIN_TOKEN": "a-token-for-tests"])
        #expect(try keyless.get("/playground/sign" + query, fields: [token]).status == 404)
        let tokenless = try DaemonUnderTest()
        #expect(
            try tokenless.get("/playground/sign" + query, fields: [("Authorization", "Bearer ")]).status
                == 401)
    }

    @Test func `the canonical recipe of a query, or the refusal that the picture would get`() throws {
        let daemon = try DaemonUnderTest()
        let recipe = try daemon.get("/playground/recipe?url=a.com/b.jpg&width=30&fit=inside&flip")
        #expect(recipe.status == 200)
        #expect(recipe.text == "{\"recipe\":\"flip=1&w=30\",\"source\":\"https://a.com/b.jpg\"}\n")
        let query = "?url=a.com&w=x"
        let refusal = try daemon.get("/playground/recipe" + query)
        #expect(refusal.status == 400)
        #expect(refusal.text == (try daemon.get("/img" + query).text))
    }
}
