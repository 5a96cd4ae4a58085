// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A reload changes how pictures are fetched and made", .endToEnd)
struct ReloadedWorkTests: Reloading {
    let folder = TemporaryFolder()

    @Test func `other qualities make other renditions, and the former ones come back with their tags`() throws
    {
        let origin = ScriptedOrigin { $0.picture(Pictures.noise(60, 40)) }
        try write("encoder:", "  jpeg-quality: 90")
        let daemon = try daemon()
        let target = DaemonUnderTest.target(origin.url(), "w=30&output=jpg")
        let fine = try daemon.get(target)
        #expect(try daemon.get(target).body == fine.body, "from memory")
        let tag = try #require(fine["ETag"])
        try write("encoder:", "  jpeg-quality: 10", "  avif-maximum-pixels: 100")
        #expect(try reload(daemon).changed == ["encoder.jpeg-quality", "encoder.avif-maximum-pixels"])
        let coarse = try daemon.get(target, fields: [("If-None-Match", tag)])
        #expect(coarse.status == 200 && coarse.body.count < fine.body.count && coarse["ETag"] != tag)
        let other = try #require(coarse["ETag"])
        #expect(try daemon.get(target, fields: [("If-None-Match", other)]).status == 304)
        // Too large for AVIF by now.
        #expect(
            try daemon.get(origin.url(), "w=30&output=avif")["Content-Type"] == "image/webp")
        try write("encoder:", "  jpeg-quality: 90")
        _ = try reload(daemon)
        let renders = try daemon.metric("pictor_renders_total")
        #expect(try daemon.get(target, fields: [("If-None-Match", tag)]).status == 304)
        #expect(try daemon.get(target).body == fine.body)
        #expect(try daemon.metric("pictor_renders_total") == renders, "it was kept")
        #expect(origin.heads.count == 1)
    }

    @Test func `a picture that took too long is tried again with more time`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.noise(1500, 1200)) }
        try write("decoder:", "  timeout: 1ms")
        let daemon = try daemon()
        let target = DaemonUnderTest.target(origin.url(), "w=1400&output=webp")
        #expect(try daemon.get(target).status == 504)
        try write("decoder:", "  timeout: 2m")
        #expect(try reload(daemon).changed == ["decoder.timeout"])
        #expect(try daemon.get(target).status == 200)
    }

    @Test func `limits of originals hold for those that are held, and a refusal is forgotten`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        try write("decoder:", "  maximum-pixels: 2000")
        let daemon = try daemon()
        #expect(try daemon.get(origin.url(), "w=30").status == 413)
        try write("decoder:", "  maximum-pixels: 3000")
        #expect(try reload(daemon).changed == ["decoder.maximum-pixels"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        try write("decoder:", "  maximum-pixels: 2000")
        _ = try reload(daemon)
        #expect(try daemon.get(origin.url(), "w=30").status == 413)
    }

    @Test func `larger bodies are taken, and smaller ones alone`() throws {
        let picture = Pictures.noise(60, 40)
        let origin = ScriptedOrigin { $0.picture(picture) }
        try write("origin:", "  maximum-body: 1KiB")
        let daemon = try daemon()
        #expect(try daemon.get(origin.url("/a"), "w=30").text.contains("1024"))
        try write("origin:", "  maximum-body: 1MiB", "  stall-limit: 1m")
        #expect(try reload(daemon).changed == ["origin.maximum-body", "origin.stall-limit"])
        #expect(try daemon.get(origin.url("/a"), "w=30").status == 200)
        try write("origin:", "  maximum-body: 1KiB")
        _ = try reload(daemon)
        #expect(try daemon.get(origin.url("/a"), "w=20").status == 200, "it is held")
        #expect(try daemon.get(origin.url("/b"), "w=30").status == 413)
    }

    @Test func `larger bodies than there is room for are warned of`() throws {
        try write("origin:", "  maximum-body: 64MiB")
        // A quarter of the disk cache, which has 1 GiB.
        let daemon = try daemon()
        try write("origin:", "  maximum-body: 128MiB")
        #expect(try reload(daemon).changed == ["origin.maximum-body"])
        try write("origin:", "  maximum-body: 129MiB")
        #expect(try reload(daemon).changed == ["origin.maximum-body"])
        #expect(daemon.logs(1, with: "more than half of cache.held-disk", "128MiB"))
    }

    @Test func `damaged pictures are shown from now on`() throws {
        let picture = Pictures.inChunks(of: 500, Pictures.gradient(60, 40))
        let origin = ScriptedOrigin { $0.picture(Array(picture.prefix(picture.count / 2))) }
        try write("decoder:", "  damaged: refuse")
        let daemon = try daemon()
        #expect(try daemon.get(origin.url(), "w=30").status == 422)
        try write("decoder:", "  damaged: show")
        #expect(try reload(daemon).changed == ["decoder.damaged"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
    }

    @Test func `origins see another name, and what varies by it is asked for anew`() throws {
        let origin = ScriptedOrigin {
            $0.picture(Pictures.gradient(60, 40), fields: ["Vary: User-Agent"])
        }
        try write("origin:", "  user-agent: First/1")
        let daemon = try daemon()
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "w=30").status == 200) }
        try write("origin:", "  user-agent: Second/2")
        #expect(try reload(daemon).changed == ["origin.user-agent"])
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "w=30").status == 200) }
        let heads = origin.heads
        try #require(heads.count == 2)
        #expect(heads[0].contains("User-Agent: First/1\r\n") && heads[1].contains("User-Agent: Second/2\r\n"))
    }

    @Test func `a proxy comes, changes its credentials, and goes`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let proxy = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        try write("origin:", "  user-agent: Pictor")
        let daemon = try daemon()
        func ask(_ name: String) throws {
            #expect(try daemon.get(origin.url("/\(name)"), "w=30").status == 200)
        }
        try ask("a")
        for password in ["one", "two"] {
            try write(
                "origin:", "  user-agent: Pictor", "  proxy: \"http://127.0.0.1:\(proxy.port)\"",
                "  proxy-credentials: \"me:\(password)\"")
            #expect(try reload(daemon).changed.contains("origin.proxy-credentials"))
            try ask(password)
        }
        try write(
            "origin:", "  user-agent: Pictor", "  proxy: \"http://127.0.0.1:\(proxy.port)\"")
        _ = try reload(daemon)
        try ask("b")
        try write("origin:", "  user-agent: Pictor")
        #expect(try reload(daemon).changed == ["origin.proxy"])
        try ask("c")
        #expect(origin.heads.map { $0.prefix(6) } == ["GET /a", "GET /c"])
        let heads = proxy.heads
        try #require(heads.count == 3)
        #expect(heads[0].contains("Authorization: Basic \(Data("me:one".utf8).base64EncodedString())"))
        #expect(heads[1].contains("Authorization: Basic \(Data("me:two".utf8).base64EncodedString())"))
        #expect(!heads[2].contains("Authorization"))
    }

    @Test func `authorities vouch from the reload on, and no longer`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let target = DaemonUnderTest.target(origin.picture, "w=30")
        let bundle = "\(folder.path)/bundle.pem"
        let stranger = TemporaryFolder()
        _ = try SecureOrigin(in: stranger.path)
        func trust(_ folder: TemporaryFolder) throws {
            try Data(contentsOf: URL(filePath: folder.path + "/certificate.pem"))
                .write(to: URL(filePath: bundle), options: .atomic)
        }
        try write("cache:", "  default-lifetime: 0s")
        let daemon = try daemon()
        #expect(try daemon.get(target).status == 502)
        try trust(folder)
        try write("cache:", "  default-lifetime: 0s", "origin:", "  certificate-authorities: [\"\(bundle)\"]")
        #expect(try reload(daemon).changed == ["origin.certificate-authorities"])
        #expect(try daemon.get(target).status == 200)
        // The file has others, under the same name.
        try trust(stranger)
        #expect(try reload(daemon).changed == ["origin.certificate-authorities"])
        #expect(try daemon.get(DaemonUnderTest.target(origin.picture + "?2", "w=30")).status == 502)
        try trust(folder)
        _ = try reload(daemon)
        #expect(try daemon.get(target).status == 200)
    }

    @Test func `traces are chosen by another rule`() throws {
        let collector = TraceCollector()
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        func set(_ lines: String) throws {
            try write("traces:", "  endpoint: \"\(collector.endpoint)\"", "  slow: 0s", lines)
        }
        try set("  ratio: 0")
        let daemon = try daemon()
        #expect(try daemon.get(origin.url("/before"), "w=30").status == 200)
        try set("  ratio: 1\n  origins: [\"127.0.0.1\"]")
        #expect(try reload(daemon).changed == ["traces.ratio", "traces.origins"])
        #expect(try daemon.get(origin.url("/after"), "w=30").status == 200)
        let spans = try #require(collector.spans { $0.contains { $0.name == "keep" } })
        #expect(Set(spans.map(\.trace)).count == 1)
        let heads = origin.heads
        #expect(!heads[0].contains("traceparent") && heads[1].contains("traceparent: 00-"))
    }

    @Test(arguments: [
        "encoder:\n  jpeg-quality: 101", "decoder:\n  timeout: 0s",
        "origin:\n  certificate-authorities: [\"/no/such.pem\"]",
        "origin:\n  proxy: \"ftp://a.test\"", "traces:\n  origins: [\"a b\"]",
        "server:\n  trusted-proxies: [\"nobody\"]",
    ])
    func `a mistake changes nothing of it`(mistake: String) throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.noise(60, 40)) }
        try write("log:", "  level: info")
        let daemon = try daemon()
        let before = try daemon.get(origin.url(), "w=30&output=webp")
        try write("cache:", "  default-lifetime: 7s", mistake)
        #expect(try daemon.order("/admin/reload").status == 422)
        let after = try daemon.get(origin.url(), "w=30&output=webp")
        #expect(after.status == 200 && after["ETag"] == before["ETag"])
        #expect(origin.heads.count == 1)
    }

    @Test func `permits for fetches grow and shrink, and no fetch is cut`() throws {
        let open = Latch()
        let slow = ScriptedOrigin { peer in
            open.wait()
            peer.picture(Pictures.gradient(60, 40))
        }
        func permit(_ count: Int) throws {
            try write(
                "origin:", "  maximum-fetches: \(count)", "  first-byte-timeout: 2m", "  timeout: 3m",
                "  queue-timeout: 2m")
        }
        try permit(1)
        let daemon = try daemon()
        func ask(_ name: String) throws -> Connection {
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(slow.url("/\(name)"), "w=30"))
            return connection
        }
        let first = try ask("first")
        #expect(Patience.until { slow.heads.count == 1 })
        let others = try ["second", "third"].map(ask)
        #expect(try Patience.until { try daemon.metric("pictor_fetch_queue_length") == 2 })
        #expect(slow.heads.count == 1)
        try permit(2)
        #expect(
            try reload(daemon).changed == ["origin.maximum-fetches", "origin.maximum-fetches-per-host"])
        #expect(Patience.until { slow.heads.count == 2 })
        #expect(try daemon.metric("pictor_fetches_limit") == 2)
        #expect(try daemon.metric("pictor_fetch_queue_length") == 1)
        try permit(1)
        _ = try reload(daemon)
        #expect(try daemon.metric("pictor_fetches_limit") == 1)
        open.signal()
        for connection in [first] + others { #expect(try connection.reply().status == 200) }
        #expect(slow.heads.count == 3)
    }

    @Test func `times of fetches and rests of origins change for the fetches to come`() throws {
        let silent = ScriptedOrigin { $0.waitForHangup() }
        try write("origin:", "  timeout: 10m", "  first-byte-timeout: 10m", "  rest-after: 1")
        let daemon = try daemon()
        let early = try Connection(port: daemon.port)
        try early.request(DaemonUnderTest.target(silent.url("/early"), "w=30"))
        #expect(Patience.until { silent.heads.count == 1 })
        try write("origin:", "  timeout: 10m", "  first-byte-timeout: 200ms", "  rest-after: 0")
        #expect(try reload(daemon).changed == ["origin.first-byte-timeout", "origin.rest-after"])
        for name in ["a", "b", "c"] {
            let reply = try daemon.get(silent.url("/\(name)"), "w=30")
            #expect(reply.status == 504 && reply.text.contains("origin_timeout"), "\(reply.text)")
        }
        #expect(try daemon.metric("pictor_work_in_flight", "kind=\"original\"") == 1, "the early one goes on")
    }
}
