// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import Testing

@Suite("A dialect of paths has a place")
struct PathPlaceTests {
    private func rest(_ path: String, below place: String) throws -> String? {
        let place = try #require(PathPlace(place))
        return place.rest(of: Array(path.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a place is a slash, or names behind slashes`() throws {
        #expect(PathPlace("/pictures/") == PathPlace("/pictures"))
        #expect(PathPlace("/")?.text == "/" && PathPlace("/a/b.c")?.text == "/a/b.c/")
        for text in ["", "a", "a/", "//", "/a//b", "/a b", "/a%20", "/.", "/a/..", "/é", "/?", "/img/a"] {
            #expect(PathPlace(text) == nil, "\(text)")
        }
        for own in PathPlace.ownSegments { #expect(PathPlace("/\(own)") == nil) }
    }

    @Test func `what is below it belongs to it, byte for byte`() throws {
        #expect(try rest("/a/b/c%2F", below: "/a") == "b/c%2F")
        #expect(try rest("/a/", below: "/a") == "")
        for path in ["/a", "/ab/c", "/%61/b", "/b/a/c", "", "a/b"] {
            #expect(try rest(path, below: "/a") == nil, "\(path)")
        }
    }

    @Test func `the whole listener leaves Pictor's own paths alone`() throws {
        #expect(try rest("/a/b", below: "/") == "a/b")
        #expect(try rest("/imgs/b", below: "/") == "imgs/b")
        for path in [
            "/", "", "/img", "/img/a", "/_next/image", "/_vercel/image", "/health/live", "/playground/x",
            "/playground", "/favicon.ico",
        ] {
            #expect(try rest(path, below: "/") == nil, "\(path)")
        }
    }
}
