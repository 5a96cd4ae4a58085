// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

/// Lists of hosts, URLs, networks and ports.
@Suite struct `The source policy` {
    private static func refusal(
        _ text: String, _ change: (inout SourcePolicy) throws -> Void = { _ in }
    ) throws -> SourceRefusal? {
        var policy = SourcePolicy()
        try change(&policy)
        return policy.refusal(of: try SourceURL.parse(text))
    }

    private static func hosts(_ patterns: String...) throws -> [HostPattern] {
        try patterns.map { try #require(HostPattern($0)) }
    }

    private static func urls(_ prefixes: String...) throws -> [URLPrefix] {
        try prefixes.map { try #require(URLPrefix($0)) }
    }

    // MARK: Hosts

    @Test func `with allowed hosts, closes every other one`() throws {
        for (url, isOpen) in [
            ("https://images.example/a", true), ("https://IMAGES.example./a", true),
            ("https://cdn.pictures.example/a", true), ("https://a.b.pictures.example/a", true),
            ("https://pictures.example/a", false), ("https://images.example.evil.example/", false),
            ("https://evilpictures.example/", false), ("https://other.example/", false),
            ("http://8.8.8.8/", false),
        ] {
            let refusal = try Self.refusal(url) {
                $0.allowedHosts = try Self.hosts("images.example", "*.Pictures.example")
            }
            #expect(refusal == (isOpen ? nil : .notListed), "\(url)")
        }
    }

    @Test func `closes denied hosts, even those that are allowed`() throws {
        for url in ["https://bad.example/", "https://x.bad.example/", "http://8.8.4.4/", "http://134743044/"]
        {
            let refusal = try Self.refusal(url) {
                $0.allowedHosts = try Self.hosts("bad.example", "*.example")
                $0.deniedHosts = try Self.hosts("bad.example", "*.bad.example", "8.8.4.4")
            }
            #expect(refusal == .host, "\(url)")
        }
    }

    @Test(arguments: [
        "[::ffff:8.8.4.4]", "[::ffff:808:404]", "[0:0:0:0:0:FFFF:8.8.4.4]", "[64:ff9b::8.8.4.4]",
    ])
    func `closes a denied IPv4 address inside of an IPv6 address`(host: String) throws {
        let url = "http://\(host)/private/1"
        #expect(try Self.refusal(url) { $0.deniedHosts = try Self.hosts("8.8.4.4") } == .host)
        #expect(try Self.refusal(url) { $0.deniedURLs = try Self.urls("//8.8.4.4/private/") } == .url)
        #expect(
            try Self.refusal(url) {
                $0.deniedHosts = try Self.hosts("8.8.8.8")
                $0.deniedURLs = try Self.urls("//8.8.4.4/other/")
            } == nil)
    }

    @Test func `knows an international name in both of its spellings`() throws {
        for pattern in ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example"] {
            let refusal = try Self.refusal("https://xn--bcher-kva.example/") {
                $0.deniedHosts = try Self.hosts(pattern)
            }
            #expect(refusal == .host, "\(pattern)")
        }
    }

    @Test(arguments: [
        "", "*", "*.", "a b", "a/b", "a:80", "http://a", "u@a", "*.1.2.3.4", "[::1", "[::1]:80", "a..b",
        "*.*.a",
        "a?b", "a%2eb",
    ])
    func `takes no pattern that could have been meant otherwise`(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test func `closes names that only the inside can know, before they are looked up`() throws {
        for host in [
            "localhost", "x.localhost", "db.internal", "printer.local", "nas.lan", "router.home.arpa",
        ] {
            #expect(try Self.refusal("http://\(host)/") == .insideName, "\(host)")
            #expect(try Self.refusal("http://\(host)/") { $0.addresses.allowsPrivate = true } == nil)
            #expect(try Self.refusal("http://\(host)/") { $0.allowedHosts = try Self.hosts(host) } == nil)
        }
        #expect(try Self.refusal("http://internal.example/") == nil)
    }

    // MARK: URLs

    @Test func `with allowed URLs, closes what is not surely below them`() throws {
        for (url, isOpen) in [
            ("https://a.example/public/1.jpg", true), ("https://a.example/public/?x", true),
            ("https://a.example/public/a/../b", true), ("https://a.example:443/public/1", true),
            ("https://a.example/public", false), ("http://a.example/public/1", false),
            ("https://a.example:8443/public/1", false), ("https://a.example.evil.example/public/", false),
            ("https://a.example/public/../secret", false), ("https://a.example/public/%2e%2e/secret", false),
            ("https://a.example/public/..%2fsecret", false), ("https://a.example/public/..%5Csecret", false),
            ("https://a.example/public/..;x/secret", false),
            ("https://a.example/public/;x/..;/secret", false),
            ("https://a.example/public/a;%2Fb/..;/..;/secret", false),
            ("https://a.example/public/a;v=1/b%3B", true), ("https://a.example/public/;x", true),
            ("https://a.example/public/%252e%252e/secret", false),
            ("https://a.example/public/%25252e%25252e%25252fsecret", false),
            ("https://a.example/Public/1", false),
            ("http://b.example/x/y", true), ("https://b.example/x?y", true), ("https://b.example/x", true),
            ("https://b.example/xy", false), ("https://b.example:81/x", false),
            ("https://c.example/img?id=5", true), ("https://c.example/img?no=5", false),
        ] {
            let refusal = try Self.refusal(url) {
                $0.allowedURLs = try Self.urls(
                    "https://a.example/public/", "//b.example/x", "https://c.example/img?id=")
            }
            #expect((refusal == nil) == isOpen, "\(url): \(String(describing: refusal))")
        }
    }

    @Test func `closes denied URLs, however they are spelled`() throws {
        for (url, isOpen) in [
            ("https://a.example/private/1", false), ("https://a.example/private", false),
            ("http://a.example/private/", false), ("https://a.example/%70rivate/1", false),
            ("https://a.example//private/1", false), ("https://a.example/x/../private/1", false),
            ("https://a.example/x/..%2Fprivate/1", false), ("https://a.example/x%2F..%2Fprivate/1", false),
            ("https://a.example/%2570rivate/1", false), ("https://a.example/.;/private/1", false),
            ("https://a.example/private;x/1", false), ("https://a.example/private;x=1", false),
            ("https://a.example/private%3Bx/1", false), ("https://a.example/;x/private;/1", false),
            ("https://a.example/x/;/..%2Fprivate/1", false), ("https://a.example/x/;y/..;/private/1", false),
            ("https://a.example/private;%2F../1", false),
            ("https://a.example/privates/1", true), ("https://a.example/public/private/1", true),
            ("https://a.example/privates;x/1", true), ("https://a.example/public;x/private/1", true),
            ("https://b.example/private/1", true),
        ] {
            let refusal = try Self.refusal(url) { $0.deniedURLs = try Self.urls("//a.example/private") }
            #expect(refusal == (isOpen ? nil : .url), "\(url)")
        }
    }

    @Test(arguments: [
        "https://a.example/public/..%2Fadmin.php/%252E%252E/public/1",
        "https://a.example/public/..%252Fadmin.php/%25252E%25252E/public/1",
    ])
    func `opens no path that leads elsewhere once some of its escapes are undone`(url: String) throws {
        let refusal = try Self.refusal(url) { $0.allowedURLs = try Self.urls("https://a.example/public/") }
        #expect(refusal == .notListed)
    }

    @Test(arguments: [
        "https://a.example/%70rivate/a.php/..%2F..%2F", "https://a.example/%70rivate/a.php/..%252F..%252Fx",
        "https://a.example/%2570rivate/a.php/..%25252F..%25252F",
        "https://a.example/%70rivate/1/%5C..%5C..%5C",
        "https://a.example/" + String(repeating: "a/..%2F", count: 10) + "%70rivate/a.php/..%2F..%2F",
    ])
    func `closes a denied path that turns back by escaped slashes behind it`(url: String) throws {
        #expect(try Self.refusal(url) { $0.deniedURLs = try Self.urls("//a.example/private/") } == .url)
    }

    @Test func `opens a path that turns back elsewhere, but not one that does without end`() throws {
        for (path, isOpen) in [
            ("x/..%2Fpublic/1", true), ("privates/..%2F1", true), ("x/%2E%2E%2Fa%2520b", true),
            ((0..<16).map { "\($0)/..%2F" }.joined(), true),
            ((0..<17).map { "\($0)/..%2F" }.joined(), false),
        ] {
            let refusal = try Self.refusal("https://a.example/\(path)") {
                $0.deniedURLs = try Self.urls("//a.example/private/")
            }
            #expect(refusal == (isOpen ? nil : .url), "\(path)")
        }
    }

    @Test(arguments: [
        "https://a.example/private/", "https://a.example/private/.", "https://a.example/x/..%2Fprivate%2F.",
        "https://a.example/private/x/..", "https://a.example/private/.;a", "https://a.example/private%2F%2E",
    ])
    func `closes a denied folder itself, however its end is spelled`(url: String) throws {
        #expect(try Self.refusal(url) { $0.deniedURLs = try Self.urls("https://a.example/private/") } == .url)
    }

    @Test func `closes a URL that is denied as it is sent, or by its name`() throws {
        let url = SourceURL(
            scheme: .https, host: "a.example", port: 443, target: "/a?b=1", sentTarget: "/a?x-admin=1&b=1")
        for (prefix, refusal) in [
            ("https://a.example/a?x-admin", SourceRefusal.url), ("https://a.example/a?b=1", .url),
            ("https://a.example/a?c", nil),
        ] as [(String, SourceRefusal?)] {
            var policy = SourcePolicy()
            policy.deniedURLs = try Self.urls(prefix)
            #expect(policy.refusal(of: url) == refusal, "\(prefix)")
        }
    }

    @Test func `undoes escapes of two hexadecimal digits, in either case, and no others`() throws {
        for (path, isOpen) in [
            ("%256a%256B%256C", false), ("%256A%256b%256c", false), ("%25256Akl", false), ("jkl", false),
            ("%256", true), ("%25", true), ("%256gjkl", true), ("%25+6jkl", true), ("jkl%25", true),
            ("jkl%256", true),
        ] {
            let refusal = try Self.refusal("https://a.example/\(path)") {
                $0.deniedURLs = try Self.urls("https://a.example/other/", "https://a.example/jkl")
            }
            #expect(refusal == (isOpen ? nil : .url), "\(path)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `reads a URL once, however many prefixes of its host are listed`()
        throws
    {
        var policy = SourcePolicy()
        policy.deniedURLs = try (0..<2_000).map {
            try #require(URLPrefix("https://host.example/folder-\($0)/"))
        }
        let target = "/" + String(repeating: "%61", count: 2_700)
        let url = SourceURL(scheme: .https, host: "host.example", port: 443, target: target)
        var open = 0
        for _ in 0..<300 where policy.refusal(of: url) == nil { open += 1 }
        #expect(open == 300)
        let denied = SourceURL(
            scheme: .https, host: "host.example", port: 443, target: target + "/%2e%2e/folder-1999/1")
        #expect(policy.refusal(of: denied) == .url)
    }

    @Test func `takes a URL that is allowed by either list`() throws {
        for (url, isOpen) in [
            ("https://a.example/x", true), ("https://b.example/ok/x", true), ("https://b.example/", false),
        ] {
            let refusal = try Self.refusal(url) {
                $0.allowedHosts = try Self.hosts("a.example")
                $0.allowedURLs = try Self.urls("https://b.example/ok/")
            }
            #expect(refusal == (isOpen ? nil : .notListed), "\(url)")
        }
    }

    @Test(arguments: [
        "", "a.example/x", "ftp://a.example/", "https://u@a.example/", "https:/a.example/", "/x",
    ])
    func `takes no prefix without scheme or slashes`(text: String) { #expect(URLPrefix(text) == nil) }

    // MARK: Networks and ports

    @Test func `closes denied networks, whatever opens them, and every way to them`() throws {
        let policy = AddressPolicy(
            allowsPrivate: true, allowed: [try AddressBlock(known: "10.0.0.0/8")],
            denied: [try AddressBlock(known: "10.9.0.0/16"), try AddressBlock(known: "::ffff:9.9.0.0/112")])
        for address in [
            "10.9.1.2", "::ffff:10.9.1.2", "64:ff9b::10.9.1.2", "2002:a09:102::1", "9.9.9.9",
            "::ffff:9.9.9.9",
        ] {
            #expect(policy.refusal(of: try #require(IPAddress(address)), port: 80) == .network, "\(address)")
        }
        #expect(policy.refusal(of: try #require(IPAddress("10.8.1.2")), port: 80) == nil)
    }

    @Test func `reads ports and ranges of them, and nothing else`() throws {
        let ports = try #require(PortList(["80", "8000-8100", "6667"]))
        for (port, isOpen) in [
            (80, true), (81, false), (8000, true), (8100, true), (8101, false), (6667, true),
        ] {
            #expect(ports.contains(UInt16(port)) == isOpen, "\(port)")
        }
        for text in ["", "0", "65536", "80-", "-80", "90-80", "1-2-3", "http", "+80", "８０"] {
            #expect(PortList([text]) == nil, "\(text)")
        }
    }

    // MARK: During a fetch

    @Test func `is asked again for every redirect`() async throws {
        let victim = ScriptedOrigin(address: "127.0.0.2") { $0.answer(body: "secret".utf8) }
        let origin = ScriptedOrigin { peer in
            if peer.target == "/hop" {
                peer.redirect(to: victim.url("/x").absolute)
            } else {
                peer.redirect(to: "/hop")
            }
        }
        for (change, refusal) in [
            ({ $0.deniedHosts = try Self.hosts("127.0.0.2") }, .host),
            ({ $0.allowedHosts = try Self.hosts("127.0.0.1") }, .notListed),
            ({ $0.deniedURLs = try Self.urls(victim.url("/").absolute) }, .url),
            ({ $0.addresses.denied = [try AddressBlock(known: "127.0.0.2")] }, .network),
            ({ $0.addresses.ports = PortList([origin.port...origin.port]) }, .port(victim.port)),
        ] as [((inout SourcePolicy) throws -> Void, SourceRefusal)] {
            var policy = try OriginConfiguration.loopback().policy
            try change(&policy)
            let failure = try await withDownloader {
                $0.policy = policy
            } _: {
                await $0.failure(origin.url("/start"))
            }
            #expect(failure == .redirectRefused(by: refusal))
        }
        #expect(victim.accepted == 0)
    }

    @Test func `is asked again for a kept connection`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        try await withDownloader {
            _ = try await $0.fetch(origin.url())
            // The list of own listeners is the only part of the policy that can change under a downloader; for libcurl the
            // connection is still usable.
            $0.ownListeners.add(host: "127.0.0.1", port: origin.port)
            #expect(await $0.failure(origin.url()) == .refused(by: .ownListener))
            #expect($0.counters.connections == 1)
        }
        #expect(origin.heads.count == 1)
    }

    @Test func `does not tell whether a name without dots exists inside`() async throws {
        try await withDownloader {
            $0.policy.addresses.allowed = []
        } _: {
            // A label may have at most 63 bytes (RFC 1035 §2.3.4), so the look-up fails without asking a server.
            let host = String(repeating: "a", count: 64)
            let url = SourceURL(scheme: .http, host: host, port: 80, target: "/")
            #expect(await $0.failure(url) == .refused(by: .insideName))
        }
    }
}
