// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import HTTPServer
import Kernel
import Testing
import Web

@Suite("Static pages") struct WebSiteTests {
    private let site = WebSite("playground", at: "/playground")

    private func answer(_ path: String, _ fields: [(String, String)] = []) -> Response? {
        var request = Request(method: "GET", target: path)
        for (name, value) in fields { request.fields.append(name, value) }
        return site.response(to: request, path: path)
    }

    private func bytes(_ response: Response) -> [UInt8] {
        guard case .bytes(let bytes) = response.body else { return [] }
        return Array(bytes.buffer)
    }

    @Test(arguments: [
        ("/playground", "text/html; charset=utf-8"), ("/playground/style.css", "text/css; charset=utf-8"),
        ("/playground/common.js", "text/javascript; charset=utf-8"),
        ("/playground/main.js", "text/javascript; charset=utf-8"),
    ])
    func `each file has its type, the page's policy and a strong tag`(path: String, type: String) throws {
        let response = try #require(answer(path))
        #expect(response.status == 200)
        #expect(response.fields["Content-Type"] == type)
        #expect(response.fields["Content-Security-Policy"] == PageSecurity.policy)
        #expect(response.fields["X-Content-Type-Options"] == "nosniff")
        #expect(response.fields["Referrer-Policy"] == "no-referrer")
        #expect(response.fields["Cross-Origin-Opener-Policy"] == "same-origin")
        let tag = try #require(response.fields["ETag"].flatMap { EntityTag($0) })
        #expect(!tag.isWeak)
        #expect(!bytes(response).isEmpty)
    }

    @Test func `the policy allows nothing from elsewhere, nothing inline, and no frame`() {
        for word in ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"] {
            #expect(PageSecurity.policy.contains(word))
        }
        for word in ["unsafe", "http:", "https:", "*"] { #expect(!PageSecurity.policy.contains(word)) }
    }

    @Test(
        arguments: [
            (nil, false), ("gzip", true), ("br, GZIP;q=0.5", true), ("gzip;q=0, *", false), ("*", true),
            ("*;q=0.0", false), ("identity", false), ("gzip; q=0.001", true),
        ] as [(String?, Bool)])
    func `a page is packed where the request takes gzip`(accepted: String?, isPacked: Bool) throws {
        let response = try #require(
            answer("/playground/style.css", accepted.map { [("Accept-Encoding", $0)] } ?? []))
        #expect(response.fields["Content-Encoding"] == (isPacked ? "gzip" : nil))
        #expect(response.fields["Vary"] == "Accept-Encoding")
        #expect((bytes(response).prefix(2) == [0x1F, 0x8B]) == isPacked)
    }

    @Test func `packed and plain bytes have different tags, and each answers its condition`() throws {
        let plain = try #require(answer("/playground/style.css")?.fields["ETag"])
        let gzip = ("Accept-Encoding", "gzip")
        let packed = try #require(answer("/playground/style.css", [gzip])?.fields["ETag"])
        #expect(plain != packed)
        let path = "/playground/style.css"
        #expect(answer(path, [("If-None-Match", plain)])?.status == 304)
        #expect(answer(path, [gzip, ("If-None-Match", packed)])?.status == 304)
        #expect(answer(path, [gzip, ("If-None-Match", plain)])?.status == 200)
        #expect(answer(path, [("If-Match", "\"other\"")])?.status == 412)
        let notModified = try #require(answer(path, [("If-None-Match", plain)]))
        #expect(notModified.fields["ETag"] == plain)
        #expect(notModified.body == nil)
    }

    @Test(arguments: ["/playground/", "/playground/none", "/playground/index.html", "/style.css", "/"])
    func `other paths have no file`(path: String) {
        #expect(answer(path) == nil)
    }

    @Test func `a file that is made at the start is served with the rest`() throws {
        var site = site
        site.add("options.json", "{}".utf8)
        let path = "/playground/options.json"
        let response = try #require(site.response(to: Request(method: "GET", target: path), path: path))
        #expect(response.fields["Content-Type"] == "application/json")
        #expect(bytes(response) == Array("{}".utf8))
    }

    @Test func `all files of the page are at most 60 kB packed`() throws {
        let names = (EmbeddedFile.all(in: "shared/") + EmbeddedFile.all(in: "playground/")).map(\.name)
        #expect(names.count > 10)
        let total = names.reduce(0) { sum, name in
            let path = name == "index.html" ? "/playground" : "/playground/\(name)"
            return sum + (answer(path, [("Accept-Encoding", "gzip")]).map { bytes($0).count } ?? 100_000)
        }
        #expect(total < 60_000, "\(total) bytes")
    }

    @Test func `each sample has a thumbnail`() {
        #expect(Sample.all.map(\.thumbnail) == Sample.thumbnails.map(\.name))
        #expect(Sample.all.allSatisfy { $0.mediaType.hasPrefix("image/") && $0.title != $0.name })
    }
}
