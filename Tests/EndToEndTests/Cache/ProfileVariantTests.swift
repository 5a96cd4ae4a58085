// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("What an origin chose by a profile's fields is used while these are the same", .endToEnd)
struct ProfileVariantTests: PassingFields {
    let folder = TemporaryFolder()

    /// Each language has a picture of its own, and an entity tag.
    private func origin(vary: String = "Accept-Language") -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let language = peer.value(of: "Accept-Language") ?? "none"
            guard !peer.has("If-None-Match: \"\(language)\"") else {
                return peer.answer(
                    "304 Not Modified", fields: ["ETag: \"\(language)\"", "Cache-Control: max-age=3600"])
            }
            peer.picture(
                PersonalOrigin.picture(for: language), fields: ["ETag: \"\(language)\"", "Vary: \(vary)"])
        }
    }

    private func tell(_ origin: ScriptedOrigin, _ language: String, secret: String = "key-one") throws {
        try write(
            "shop:", "  match: ['\(origin.url("/").absolute)']",
            "  headers: {Accept-Language: \(language), X-Api-Key: \(secret)}")
    }

    private func language(_ daemon: DaemonUnderTest, _ url: SourceURL) throws -> String? {
        let body = try daemon.get(url, "output=raw").body
        return ["de", "en", "none"].first { PersonalOrigin.picture(for: $0) == body }
    }

    @Test func `a reload that changes them has what varies by them asked about, once`() throws {
        let (origin, steady) = (origin(), origin(vary: "Accept"))
        try tell(origin, "de")
        let daemon = try daemon()
        for url in [origin.url(), steady.url()] { _ = try daemon.get(url, "w=30") }
        #expect(try language(daemon, origin.url()) == "de")
        try tell(origin, "en")
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try language(daemon, origin.url()) == "en")
        #expect(try daemon.get(origin.url(), "w=20").status == 200)
        #expect(origin.heads.map { $0.value(of: "Accept-Language") } == ["de", "en"])
        // Another secret is nothing that it varies by, and another origin was told the same as before.
        try tell(origin, "en", secret: "key-two")
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try language(daemon, origin.url()) == "en" && language(daemon, steady.url()) == "none")
        #expect(origin.heads.count == 2 && steady.heads.count == 1)
        // And back: the entity tag of the one does not confirm the other.
        try tell(origin, "de")
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try language(daemon, origin.url()) == "de")
    }

    @Test func `so does a restart, and no value is kept`() throws {
        let origin = origin(vary: "X-Api-Key, Accept-Language")
        let cache = TemporaryFolder()
        for (secret, asked) in [("key-one", 1), ("key-one", 1), ("key-two", 2)] {
            try tell(origin, "de", secret: secret)
            let daemon = try daemon(cache: cache)
            #expect(try language(daemon, origin.url()) == "de")
            #expect(origin.heads.count == asked)
            daemon.stop()
            let files = try FileManager.default.subpathsOfDirectory(atPath: cache.path)
            #expect(files.contains { $0.contains("index") }, "\(files)")
            for file in files {
                let bytes = FileManager.default.contents(atPath: cache.path + "/" + file) ?? Data()
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
            }
        }
        // The same bytes under the same tag.
        #expect(origin.heads.last?.value(of: "If-None-Match") == "\"de\"")
    }

    @Test func `what redirects led to is asked about when any origin is told otherwise`() throws {
        let target = origin()
        let first = ScriptedOrigin { peer in
            peer.answer(
                "301 Elsewhere",
                fields: ["Location: \(target.url().absolute)", "Cache-Control: max-age=3600"])
        }
        try tell(target, "de")
        let daemon = try daemon()
        #expect(try language(daemon, first.url()) == "de" && language(daemon, first.url()) == "de")
        #expect(target.heads.count == 1)
        try tell(target, "en")
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try language(daemon, first.url()) == "en" && language(daemon, first.url()) == "en")
        #expect(target.heads.count == 2)
    }

    @Test func `a redirect that varies is followed anew when it may lead elsewhere`() throws {
        let origin = ScriptedOrigin { peer in
            let agent = peer.value(of: "User-Agent") ?? ""
            if peer.target != "/picture" {
                return peer.picture(PersonalOrigin.picture(for: peer.target))
            }
            peer.answer(
                "301 Elsewhere",
                fields: ["Location: /\(agent)", "Vary: User-Agent", "Cache-Control: max-age=3600"])
        }
        let cache = TemporaryFolder()
        for (agent, asked) in [("one", 2), ("one", 2), ("two", 4)] {
            let daemon = try DaemonUnderTest(["--origin-user-agent", agent], cache: cache)
            let body = try daemon.get(origin.url(), "output=raw").body
            #expect(body == PersonalOrigin.picture(for: "/\(agent)"))
            #expect(origin.heads.count == asked)
            daemon.stop()
        }
    }

    /// The pictures have dates, and no entity tags.
    @Test func `the date of one variant is no condition for another`() throws {
        let dates = ["one": "Tue, 07 Jul 2020 10:00:00 GMT", "two": "Sun, 07 Jul 2019 10:00:00 GMT"]
        let origin = ScriptedOrigin { peer in
            let agent = peer.value(of: "User-Agent") ?? ""
            // No younger than either.
            guard peer.value(of: "If-Modified-Since") != dates["one"] else {
                return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=0"])
            }
            peer.picture(
                PersonalOrigin.picture(for: agent), maxAge: 0,
                fields: ["Last-Modified: \(dates[agent] ?? "")", "Vary: User-Agent"])
        }
        let cache = TemporaryFolder()
        for agent in ["one", "one", "two"] {
            let daemon = try DaemonUnderTest(
                ["--origin-user-agent", agent, "--cache-stale-while-revalidate", "0s"], cache: cache)
            #expect(
                try daemon.get(origin.url(), "output=raw").body == PersonalOrigin.picture(for: agent))
            daemon.stop()
        }
        let conditions = origin.heads.map { $0.value(of: "If-Modified-Since") }
        #expect(conditions == [nil, dates["one"], nil])
    }
}
