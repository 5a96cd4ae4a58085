// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A redirect` {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `is followed, relative or absolute`(status: Int) async throws {
        let origin = ScriptedOrigin { peer in
            switch peer.target {
            case "/a/start?x=1": peer.redirect(to: "../b/next?y=2#part", status: status)
            case "/b/next?y=2": peer.redirect(to: "http://127.0.0.1:\(peer.port)/end", status: status)
            default: peer.answer(body: "abc".utf8)
            }
        }
        try await withDownloader {
            let reply = try await $0.fetch(origin.url("/a/start?x=1"))
            #expect(try reply.read() == Array("abc".utf8))
            #expect(reply.finalURL == origin.url("/end"))
            #expect(reply.hops.map(\.status) == [status, status])
            #expect($0.counters.requests == 3 && $0.counters.connections == 1)
        }
    }

    @Test func `to another host carries no conditions, nor does one to the same`() async throws {
        let other = ScriptedOrigin(address: "127.0.0.2") { $0.answer(body: "abc".utf8) }
        let target = other.url().absolute
        let origin = ScriptedOrigin { peer in
            if peer.target == "/same" {
                peer.answer(body: "same".utf8)
            } else {
                peer.redirect(to: peer.target == "/to-same" ? "/same" : target)
            }
        }
        try await withDownloader {
            for path in ["/to-same", "/to-other"] {
                let reply = try await $0.fetch(Download(url: origin.url(path), ifNoneMatch: "\"v1\""))
                #expect(reply.status == 200)
            }
        }
        #expect(origin.heads.map { $0.contains("If-None-Match") } == [true, false, true])
        #expect(other.heads.map { $0.contains("If-None-Match") } == [false])
        #expect(try #require(other.heads.first).contains("Host: 127.0.0.2:\(other.port)\r\n"))
    }

    @Test(arguments: ["/start", "/other"])
    func `in a circle is seen at the first repetition`(target: String) async throws {
        let origin = ScriptedOrigin { $0.redirect(to: $0.target == "/other" ? "/start" : target) }
        let failure = try await withDownloader { await $0.failure(origin.url("/start")) }
        #expect(failure == .tooManyRedirects(limit: 5))
        #expect(origin.heads.count == (target == "/start" ? 1 : 2))
    }

    @Test func `is followed as often as the limit says`() async throws {
        let origin = ScriptedOrigin { peer in
            let step = Int(peer.target.dropFirst()) ?? 0
            if step == 0 { peer.answer(body: "abc".utf8) } else { peer.redirect(to: "/\(step - 1)") }
        }
        try await withDownloader {
            $0.redirectLimit = 3
        } _: {
            let reply = try await $0.fetch(origin.url("/3"))
            #expect(reply.hops.count == 3)
            #expect(await $0.failure(origin.url("/4")) == .tooManyRedirects(limit: 3))
        }
    }

    @Test(arguments: [
        ("http://10.0.0.1/", SourceRefusal.address(purpose: "private use")),
        ("http://169.254.169.254/latest/meta-data", .address(purpose: "link local")),
        ("http://[::1]/", .address(purpose: "loopback")),
        ("http://0xa000001/", .address(purpose: "private use")),
        ("//192.168.1.1:8080/x", .address(purpose: "private use")),
        ("ftp://127.0.0.1/x", .scheme), ("file:///etc/passwd", .scheme), ("gopher://127.0.0.1/", .scheme),
        ("data:image/png;base64,AA", .scheme),
        ("localhost:8080/x", .scheme), ("ssl:a.example", .scheme),
        ("http://user:pass@127.0.0.1/", .userInformation),
        ("http://127.0.0.1:25/", .port(25)),
    ])
    func `to where nobody may go is refused`(location: String, refusal: SourceRefusal) async throws {
        let origin = ScriptedOrigin { $0.redirect(to: location) }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .redirectRefused(by: refusal))
        #expect(origin.accepted == 1)
    }

    @Test func `to a name behind which nobody may go is refused at the dial`() async throws {
        let victim = ScriptedOrigin { $0.answer(body: "secret".utf8) }
        let origin = ScriptedOrigin(address: "127.0.0.2") {
            $0.redirect(to: "http://localhost:\(victim.port)/")
        }
        let block = try AddressBlock(known: "127.0.0.2")
        let failure = try await withDownloader {
            $0.policy.addresses.allowed = [block]
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .redirectRefused(by: .address(purpose: "loopback")))
        #expect(victim.accepted == 0)
    }

    @Test func `from https to http is a matter of configuration`() throws {
        let base = SourceURL(scheme: .https, host: "a.example", port: 443, target: "/")
        var configuration = OriginConfiguration()
        #expect(try Redirect.target("http://b.example", from: base, configuration).scheme == .http)
        configuration.allowsDowngrade = false
        #expect(throws: SourceRefusal.downgrade) {
            try Redirect.target("http://b.example", from: base, configuration)
        }
        #expect(try Redirect.target("//b.example", from: base, configuration).scheme == .https)
    }

    @Test func `is followed even if its own body never comes`() async throws {
        let origin = ScriptedOrigin { peer in
            guard peer.target == "/start" else { return peer.answer(body: "abc".utf8) }
            peer.send("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 9\r\n\r\n")
            peer.waitForHangup()
        }
        // If the downloader waited for the body, this limit would end the fetch. Other pauses may be longer.
        let reply = try await withDownloader {
            $0.totalTimeout = .seconds(20)
        } _: {
            try await $0.fetch(origin.url("/start"))
        }
        #expect(reply.finalURL == origin.url("/end"))
    }

    @Test(arguments: ["http://", "http://[::1", "http://a b/", "http:x", "\\\\b.example"])
    func `that cannot be read is a broken reply`(location: String) async throws {
        let origin = ScriptedOrigin { $0.redirect(to: location) }
        let failure = try await withDownloader { await $0.failure(origin.url("/x")) }
        #expect(failure == .brokenReply(.badRedirect))
    }

    /// RFC 9110 §15.4.
    @Test func `without a location is an answer like any other`() async throws {
        let origin = ScriptedOrigin { $0.answer("302 Found", fields: ["Expires: 0"]) }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(reply.status == 302 && reply.payload == nil)
        #expect(reply.fields["Expires"] == "0")
    }

    @Test(arguments: [
        ("?q", "https://a.example/x/y?q"), ("z", "https://a.example/x/z"), ("/z", "https://a.example/z"),
        ("//B.example", "https://b.example/"), ("HTTP://b.example:80", "http://b.example/"),
        ("https://b.example:8443/%41 b", "https://b.example:8443/%41%20b"),
        ("https://b%C3%BCcher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("http://[2606:4700:0::AB]:8080/", "http://[2606:4700::ab]:8080/"),
        ("", "https://a.example/x/y?old"), ("#part", "https://a.example/x/y?old"),
        ("z#part", "https://a.example/x/z"), ("./../z?a=b/../c", "https://a.example/z?a=b/../c"),
        ("?a:b", "https://a.example/x/y?a:b"), ("/a:b", "https://a.example/a:b"),
        ("http://127.1/", "http://127.0.0.1/"), ("http://2130706433/", "http://127.0.0.1/"),
    ])
    func `is resolved and normalised`(location: String, expected: String) throws {
        let base = SourceURL(scheme: .https, host: "a.example", port: 443, target: "/x/y?old")
        #expect(try Redirect.target(location, from: base, .loopback()).absolute == expected)
    }

    @Test func `of nothing is the URL as it was sent`() throws {
        let base = SourceURL(
            scheme: .https, host: "a.example", port: 443, target: "/x/y", sentTarget: "/x/y?sig=1")
        for location in ["", "#part"] {
            let target = try Redirect.target(location, from: base, .loopback())
            #expect(target.absolute == "https://a.example/x/y?sig=1", "\(location)")
        }
    }

    @Test func `is known without the parameters that its profile leaves out of keys`() throws {
        var configuration = try OriginConfiguration.loopback()
        var profile = OriginProfile("b", at: [try #require(OriginProfile.Place("https://b.example/"))])
        profile.unkeyed = ParameterNames(["sig", "X-Amz-*"])
        configuration.profiles = [profile]
        let base = SourceURL(scheme: .https, host: "a.example", port: 443, target: "/x")
        let query = "?a=1&sig=2&signal=3&X-Amz-Date=4&sig=5;a=6"
        let target = try Redirect.target("//b.example/y\(query)", from: base, configuration)
        #expect(target.absolute == "https://b.example/y?a=1&signal=3&sig=5;a=6")
        #expect(target.sent.absolute == "https://b.example/y\(query)")
        let other = try Redirect.target("/y\(query)", from: base, configuration)
        #expect(other.absolute == "https://a.example/y\(query)")
    }

    @Test func `may be the same URL without what opened it, once`() async throws {
        let origin = ScriptedOrigin { peer in
            if peer.target.hasPrefix("/open?sig=") {
                peer.answer("302 Found", fields: ["Location: /open"])
            } else if peer.target == "/open" {
                peer.answer(body: "abc".utf8)
            } else {
                peer.answer("302 Found", fields: ["Location: \(peer.target)"])
            }
        }
        func url(_ path: String) -> SourceURL {
            let bare = origin.url(path)
            return SourceURL(
                scheme: bare.scheme, host: bare.host, port: bare.port, target: path,
                sentTarget: "\(path)?sig=1")
        }
        try await withDownloader { downloader in
            let reply = try await downloader.fetch(url("/open"))
            #expect(try reply.read() == Array("abc".utf8))
            let failure = await downloader.failure(url("/circle"))
            #expect(failure == .tooManyRedirects(limit: 5))
        }
        #expect(origin.heads.count == 3)
    }
}
