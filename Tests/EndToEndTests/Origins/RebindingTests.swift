// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// One network is open and stands for the internet; the one beside it is inside.
@Suite(
    "A name that points inside gains nothing, whatever its server says and when", .endToEnd,
    .enabled(if: ScriptedResolver.isPossible, "a name server at port 53 and a mount namespace take root"),
    .timeLimit(.minutes(3)))
struct RebindingTests {
    private static let (open, closed) = ("127.64.0.1", "127.64.0.2")
    /// Nothing here waits for a deadline: a refusal comes at once, however many addresses a name has.
    private static let flags = [
        "--origin-allow-private", "false", "--origin-allow-networks", open, "--origin-connect-timeout", "10m",
        "--origin-timeout", "10m",
    ]

    private let outside = ScriptedOrigin(address: Self.open) { peer in
        guard peer.target == "/inwards", let port = peer.head.firstMatch(of: /Host: [^:]+:([0-9]+)/)?.1 else {
            return peer.picture(Pictures.gradient(8, 8))
        }
        peer.redirect(to: "http://inside.test:\(port)/")
    }
    /// At the same port, so that one URL can mean either.
    private let inside: ScriptedOrigin

    init() {
        inside = ScriptedOrigin(address: Self.closed, port: outside.port) { $0.answer(body: "secret".utf8) }
    }

    private func get(_ daemon: DaemonUnderTest, _ host: String, _ path: String = "/") throws
        -> Connection.Reply
    {
        try daemon.get(DaemonUnderTest.target("http://\(host):\(outside.port)\(path)"))
    }

    @Test(arguments: [[open, closed], [closed, open]])
    func `a name that changes its mind is judged by what it is dialled as`(turns: [String]) throws {
        let resolver = try ScriptedResolver { _, turn in [turns[min(turn, turns.count) - 1]] }
        let cache = TemporaryFolder()
        // A daemon keeps a name for a minute; each of these two looks it up once.
        for (turn, address) in turns.enumerated() {
            let daemon = try DaemonUnderTest(Self.flags, cache: cache, resolver: resolver)
            for number in 1...3 {
                let reply = try get(daemon, "rebind.test", "/\(turn)-\(number)")
                #expect(reply.status == (address == Self.open ? 200 : 400), "\(reply.text)")
                #expect(reply.text.contains("source_refused") == (address == Self.closed))
            }
            daemon.stop()
        }
        #expect(resolver.names.count == 2)
        #expect(inside.accepted == 0)
    }

    @Test func `of several addresses, none inside is dialled, in no order`() throws {
        let inner = [Self.closed, "10.0.0.1", "::1", "::ffff:\(Self.closed)", "fd00::1", "64:ff9b::7f40:2"]
        let resolver = try ScriptedResolver { name, _ in
            switch name {
            case "first.test": inner + [Self.open]
            case "last.test": [Self.open] + inner
            case "amid.test": inner + [Self.open] + inner
            default: inner
            }
        }
        let daemon = try DaemonUnderTest(Self.flags, resolver: resolver)
        for host in ["first.test", "last.test", "amid.test"] {
            #expect(try get(daemon, host, "/\(host)").status == 200)
        }
        #expect(try get(daemon, "none.test").text.contains("source_refused"))
        #expect(inside.accepted == 0)
        #expect(outside.heads.count == 3)
    }

    @Test func `a redirect to such a name is refused like the name itself`() throws {
        let resolver = try ScriptedResolver { name, _ in [name == "inside.test" ? Self.closed : Self.open] }
        let daemon = try DaemonUnderTest(Self.flags, resolver: resolver)
        let (direct, redirected) = try (get(daemon, "inside.test"), get(daemon, "outside.test", "/inwards"))
        #expect(direct.status == 400)
        #expect(direct.text == redirected.text)
        #expect(outside.heads.count == 1)
        #expect(inside.accepted == 0)
    }

    @Test func `every refusal is the same to the byte, and nothing was dialled for it`() throws {
        let resolver = try ScriptedResolver { name, _ in
            switch name {
            case "six.test": ["::1"]
            case "both.test": ["10.9.8.7", "fd00::5"]
            default: [Self.closed]
            }
        }
        let daemon = try DaemonUnderTest(Self.flags, resolver: resolver)
        let urls = [
            // An open port, closed ones, ports of other services, and machines that are not there.
            "http://inside.test:\(inside.port)/", "http://inside.test:1/", "http://inside.test:22/",
            "http://inside.test/", "http://inside.test:1025/", "http://six.test/", "http://both.test/",
            "http://INSIDE.test.:8000/",
            "http://\(Self.closed):\(inside.port)/", "http://\(Self.closed):1/", "http://10.255.255.1/",
            "http://[::ffff:\(Self.closed)]:\(inside.port)/", "https://inside.test:\(inside.port)/",
        ]
        let replies = try urls.map { try daemon.get(DaemonUnderTest.target($0)) }
        func plain(_ reply: Connection.Reply) -> [String] {
            ["\(reply.status)", reply.text]
                + reply.fields.filter { !["Date", "X-Request-Id"].contains($0.name) }
                .map { "\($0.name): \($0.value)" }
        }
        for (url, reply) in zip(urls, replies) {
            #expect(plain(reply) == plain(replies[0]), "\(url)")
            #expect(reply.text.contains("source_refused"))
        }
        #expect(inside.accepted == 0)
    }

    @Test func `a name is looked up as it stands, and not completed`() throws {
        let resolver = try ScriptedResolver(search: "svc.test inner.test") { name, _ in
            name.hasSuffix(".inner.test") ? [Self.closed] : nil
        }
        let daemon = try DaemonUnderTest(["--origin-allow-private", "false"], resolver: resolver)
        #expect(try daemon.get("/img?url=http://db.prod/").text.contains("origin_unreachable"))
        #expect(try daemon.get("/img?url=http://db/").text.contains("source_refused"))
        #expect(Set(resolver.names) == ["db.prod", "db"])
    }

    @Test func `nor is one where the platform was asked for keys by a name before`() throws {
        let resolver = try ScriptedResolver(search: "svc.test") { _, _ in nil }
        let daemon = try DaemonUnderTest(
            ["--origin-allow-private", "false", "--s3-buckets", "media", "--s3-keys-from-machine", "true"],
            environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://keys.test"], resolver: resolver)
        #expect(try daemon.get("/img?url=http://db.prod/").text.contains("origin_unreachable"))
        #expect(Set(resolver.names) == ["keys.test", "db.prod"])
    }

    @Test func `nor is one by a check whose listeners have names, which are looked up first`() throws {
        let (resolver, folder) = (try ScriptedResolver(search: "svc.test") { _, _ in nil }, TemporaryFolder())
        let command = try PictorCommand(
            [
                "check", "--online", "--cache-directory", folder.path, "--server-listen", "localhost:0",
                "--admin-listen", "", "--origin-allow-hosts", "db.prod",
            ], resolver: resolver)
        #expect(command.error.contains("db.prod"))
        let names = Set(resolver.names).filter { $0.hasPrefix("db.prod") }
        #expect(names == ["db.prod"], "\(command.error)")
    }
}
