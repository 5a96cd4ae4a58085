// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("A profile counts where its places say, and nowhere near")
struct OriginProfileTests {
    @Test(arguments: [
        // A host stands for https at its usual port only, so that a client cannot make credentials go elsewhere.
        ("shop.example", "https://shop.example/a.jpg", true),
        ("shop.example", "https://SHOP.example:443/", true),
        ("shop.example", "http://shop.example/a.jpg", false),
        ("shop.example", "https://shop.example:8443/a.jpg", false),
        ("shop.example", "https://img.shop.example/a.jpg", false),
        ("*.shop.example", "https://img.shop.example/a.jpg", true),
        ("*.shop.example", "https://shop.example.evil/a.jpg", false),
        ("https://shop.example/private/", "https://shop.example/private/a.jpg", true),
        ("https://shop.example/private/", "https://shop.example/private/../a.jpg", false),
        ("https://shop.example/private/", "https://shop.example/private/..%2Fa.jpg", false),
        ("https://shop.example/private/", "http://shop.example/private/a.jpg", false),
        ("https://shop.example", "https://shop.example.evil/a.jpg", false),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/a.jpg", true),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9001/a.jpg", false),
        ("s3://bucket/", "s3://bucket/a.jpg", true), ("s3://bucket", "s3://buckets/a.jpg", false),
        ("s3://bucket/a/", "s3://bucket/b.jpg", false), ("s3://bucket/", "https://bucket/a.jpg", false),
        ("azure://media/a", "azure://media/a/b.jpg", true), ("azure://media/", "s3://media/a.jpg", false),
    ])
    func `a place holds what lies in it`(place: String, url: String, holds: Bool) throws {
        let place = try #require(OriginProfile.Place(place))
        #expect(place.holds(try SourceURL.parse(url)) == holds)
    }

    @Test(arguments: [
        "", "//shop.example/", "ftp://shop.example/", "file://folder/", "shop.example/a", "*.127.0.0.1",
    ])
    func `what leaves the scheme open, or is a folder, is none`(text: String) {
        #expect(OriginProfile.Place(text) == nil)
    }

    @Test(
        arguments: [
            ("401 Unauthorized", ["authorization"], true), ("403 Forbidden", ["Authorization"], false),
            ("401 Unauthorized", ["X-Tenant"], false), ("401 Unauthorized", [], false),
        ] as [(String, [String], Bool)])
    func `a 401 to a profile's credentials is of these, and not of the picture`(
        status: String, names: [String], isOfKey: Bool
    ) async throws {
        let origin = ScriptedOrigin { $0.answer(status, body: "".utf8) }
        let place = try #require(OriginProfile.Place(origin.url("/").absolute))
        var profile = OriginProfile("shop", at: [place])
        profile.fields = names.map { Fields.Field($0, "Bearer old") }
        let reply = try await withDownloader { [profile] in
            $0.profiles = [profile]
        } _: {
            try await $0.fetch(origin.url("/a.jpg"))
        }
        #expect(reply.isKeyRefused == isOfKey)
    }
}
