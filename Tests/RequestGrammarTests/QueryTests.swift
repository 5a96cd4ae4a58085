// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite struct QueryTests {
    private func source(_ query: String) throws -> String {
        try ImageRequest.parse(query: query).source.absolute
    }

    @Test func `a nested URL may be escaped or raw`() throws {
        #expect(try source("url=https%3A%2F%2Fa.com%2Fx%3Fy%3D1%26z%3D2&w=9") == "https://a.com/x?y=1&z=2")
        #expect(try source("url=https://a.com/x?y=1=2&w=9") == "https://a.com/x?y=1=2")
    }

    @Test func `a raw ampersand ends the nested URL`() {
        let error = RequestError.unknownOption(parameter: "z", mayBeOfSource: true)
        #expect(throws: error) { try ImageRequest.parse(query: "url=https://a.com/x?y=1&z=2") }
        #expect(error.message.contains("write the & before it as %26"))
        let plain = RequestError.unknownOption(parameter: "z")
        for query in ["url=https://a.com/x&z=2", "z=2&url=https://a.com/x?y=1"] {
            #expect(throws: plain, "\(query)") { try ImageRequest.parse(query: query) }
        }
        #expect(!plain.message.contains("%26"))
        let repeated = RequestError.duplicate(parameter: "w", mayBeOfSource: true)
        #expect(throws: repeated) { try ImageRequest.parse(query: "url=https://a.com/x?y=1&w=2&w=9") }
        #expect(repeated.message.contains("write the & before it as %26"))
    }

    @Test func `an ampersand as HTML writes it is told`() {
        let error = #expect(throws: RequestError.self) {
            try ImageRequest.parse(query: "url=https://a.com/x?y=1&amp;w=2")
        }
        #expect(error?.message.contains("Write & and not &amp;") == true)
    }

    @Test func `values are decoded once`() throws {
        #expect(try source("url=a.com/my%20photo.jpg") == "https://a.com/my%20photo.jpg")
        #expect(try source("url=a.com/my%2520photo.jpg") == "https://a.com/my%20photo.jpg")
        #expect(try source("url=a.com/100%25.jpg") == "https://a.com/100%25.jpg")
        #expect(try source("url=a.com/%2525") == "https://a.com/%25")
    }

    @Test func `a plus stays a plus`() throws {
        #expect(try source("url=a.com/1+1.jpg") == "https://a.com/1+1.jpg")
        #expect(try source("url=a.com/1%2B1.jpg") == "https://a.com/1+1.jpg")
    }

    @Test func `names are decoded too, and empty pieces are nothing`() throws {
        let request = try ImageRequest.parse(query: "&&%75rl=a.com&&%77=5&")
        #expect(request.recipe.width == .pixels(5))
    }

    @Test(arguments: [
        ("url=a.com&w=50%", RequestError.invalidEscape(parameter: "w")),
        ("url=a.com/%zz", .invalidEscape(parameter: "url")),
        ("url=a.com/%2", .invalidEscape(parameter: "url")),
        ("url=a.com/%00", .invalidText(parameter: "url")),
        ("url=a.com/%0d%0aX:y", .invalidText(parameter: "url")),
        ("url=a.com/%7f", .invalidText(parameter: "url")),
        ("url=a.com/%ff", .invalidText(parameter: "url")),
        ("url=a.com/%c0%af", .invalidText(parameter: "url")),
        ("url=a.com/%ed%a0%80", .invalidText(parameter: "url")),
        ("%ff=1&url=a.com", .invalidText(parameter: "%ff")),
        ("w%=1&url=a.com", .invalidEscape(parameter: "w%")),
    ])
    func `what cannot be decoded is refused by the parameter's name`(query: String, error: RequestError) {
        #expect(throws: error) { try ImageRequest.parse(query: query) }
    }

    @Test func `raw bytes that are no UTF-8 are refused`() {
        let query = Array("url=a.com/".utf8) + [0xE9]
        #expect(throws: RequestError.invalidText(parameter: "url")) { try ImageRequest.parse(query: query) }
    }

    @Test func `random queries never trap`() {
        var random = SeededRandom(for: "queries")
        let pieces = [
            "url=", "a.com", "w=", "%", "%2", "%41", "&", "=", "\u{0}", "ü", "5", "fit=", "cover", "+",
        ]
        for _ in 0..<10_000 {
            let length = Int.random(in: 0...12, using: &random)
            let text = (0..<length).flatMap { _ in Array((pieces.randomElement(using: &random) ?? "").utf8) }
            _ = try? ImageRequest.parse(query: text + (random.chance(20) ? random.bytes(4) : []))
        }
    }
}

@Suite struct RequestTargetTests {
    private func target(_ text: String) throws -> (String, String?) {
        let target = try RequestTarget(text.utf8)
        return (target.path, target.query.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: [
        ("/img?url=x&y", "/img", "url=x&y"), ("/img?", "/img", ""), ("/i%6Dg?a?b", "/img", "a?b"),
        ("http://host/img?a", "/img", "a"), ("HTTPS://host:1?a", "/", "a"), ("?a", "/", "a"),
    ])
    func `a target is split at its first question mark`(text: String, path: String, query: String) throws {
        #expect(try target(text) == (path, query))
    }

    @Test func `a target without a question mark has no query`() throws {
        #expect(try target("/img") == ("/img", nil))
        #expect(try target("http://host") == ("/", nil))
    }

    @Test(arguments: [
        ("/a%2fb%3F/c?d", "/a%2fb%3F/c"), ("http://host/a%20b?c", "/a%20b"), ("/img", "/img"), ("?a", ""),
    ])
    func `a path is there as it came as well`(text: String, rawPath: String) throws {
        #expect(try String(decoding: RequestTarget(text.utf8).rawPath, as: UTF8.self) == rawPath)
        #expect(RequestTarget(path: "/a b", query: nil).rawPath == Array("/a b".utf8))
    }

    @Test func `a path that cannot be decoded is refused`() {
        #expect(throws: RequestError.invalidPath) { try RequestTarget("/%".utf8) }
    }

    @Test(arguments: ["/img%00", "/%7Fimg", "/img%0D%0A", "/img%FF", "/%C0%AFimg"])
    func `a path of odd bytes is a path, and none that anything is at`(text: String) throws {
        let (path, query) = try target(text + "?url=x")
        #expect(path != "/img" && query == "url=x")
    }
}
