// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import Synchronization
import TestSupport
import Testing

/// The name in these URLs has no address anywhere: only the proxy knows a way to it.
@Suite("Origins are asked through the proxy that the settings name", .endToEnd)
struct ProxyTests {
    private static let picture = "http://images.example/a.png"
    private static let facingTheInternet = ["--origin-allow-private", "false"]
    private static let credentials = ["PICTOR_ORIGIN_PROXY_CREDENTIALS": "pictor:pass:word"]
    /// The field of "pictor:pass:word", in base64.
    private static let basic = "Proxy-Authorization: Basic cGljdG9yOnBhc3M6d29yZA=="

    /// Answers what is asked of it in the absolute form, and opens tunnels to that port.
    private func proxy(tunnelsTo port: UInt16? = nil) -> ScriptedOrigin {
        let picture = Pictures.gradient(60, 40)
        return ScriptedOrigin { peer in
            if !peer.head.hasPrefix("CONNECT ") {
                peer.picture(picture)
            } else if let port {
                peer.send("HTTP/1.1 200 Connection established\r\nX-Of-Proxy: 1\r\n\r\n")
                peer.relay(to: port)
            } else {
                peer.answer("403 Forbidden", body: "not there".utf8)
            }
        }
    }

    private func flag(_ proxy: ScriptedOrigin, _ scheme: String = "http") -> [String] {
        ["--origin-proxy", "\(scheme)://127.0.0.1:\(proxy.port)"]
    }

    private func reply(_ url: String, of daemon: DaemonUnderTest) throws -> Connection.Reply {
        try daemon.get(DaemonUnderTest.target(url, "w=30"))
    }

    @Test func `an HTTP proxy gets the whole URL, and looks up its name`() throws {
        let proxy = proxy()
        let daemon = try DaemonUnderTest(
            flag(proxy) + Self.facingTheInternet, environment: Self.credentials)
        #expect(try reply(Self.picture, of: daemon).status == 200)
        let other = "http://others.example:8080/b.png?c=%20d"
        #expect(try reply(other, of: daemon).status == 200)
        let heads = proxy.heads
        try #require(heads.count == 2)
        #expect(heads[0].hasPrefix("GET \(Self.picture) HTTP/1.1\r\n"))
        #expect(heads[1].hasPrefix("GET \(other) HTTP/1.1\r\n"))
        #expect(heads.allSatisfy { $0.contains(Self.basic) })
    }

    @Test func `https goes through a tunnel, in which the credentials are not sent on`() throws {
        let folder = TemporaryFolder()
        let origin = try SecureOrigin(in: folder.path)
        let proxy = proxy(tunnelsTo: origin.port)
        let daemon = try DaemonUnderTest(
            flag(proxy) + ["--origin-certificate-authorities", folder.path + "/certificate.pem"],
            environment: Self.credentials)
        let reply = try reply(origin.picture, of: daemon)
        #expect(reply.status == 200 && reply["X-Of-Proxy"] == nil)
        let head = try #require(proxy.heads.first)
        #expect(head.hasPrefix("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\n") && head.contains(Self.basic))
    }

    @Test func `what the proxy refuses is an origin that cannot be reached, with its status in the log`()
        throws
    {
        let proxy = proxy()
        let daemon = try DaemonUnderTest(flag(proxy))
        let reply = try reply("https://images.example/a.png", of: daemon)
        #expect(reply.status == 502 && reply.text.contains("origin_unreachable"), "\(reply.text)")
        #expect(daemon.logLine(with: "no picture was fetched", "response 403") != nil)
        #expect(proxy.heads.count == 1)
    }

    @Test func `a proxy that refuses the credentials is an origin that cannot be reached`() throws {
        let proxy = ScriptedOrigin { $0.answer("407 Proxy Authentication Required", body: "no".utf8) }
        let daemon = try DaemonUnderTest(flag(proxy), environment: Self.credentials)
        for url in [Self.picture, "https://others.example/a.png"] {
            let reply = try reply(url, of: daemon)
            #expect(reply.status == 502 && reply.text.contains("origin_unreachable"), "\(reply.text)")
        }
        #expect(daemon.logLine(with: "no picture was fetched", "(407)") != nil)
    }

    @Test func `the same status of an origin is an answer`() throws {
        let origin = ScriptedOrigin { $0.answer("407 Proxy Authentication Required", body: "no".utf8) }
        let reply = try reply(origin.url().absolute, of: try DaemonUnderTest())
        #expect(reply.status == 502 && reply.text.contains("The origin answered 407"), "\(reply.text)")
    }

    @Test func `a proxy that is away is an origin that cannot be reached`() throws {
        let gone = try ReservedPort()
        let flags = ["--origin-proxy", "http://127.0.0.1:\(gone.number)"]
        for url in [Self.picture, "https://images.example/a.png"] {
            let reply = try reply(url, of: try DaemonUnderTest(flags))
            #expect(reply.status == 502 && reply.text.contains("origin_unreachable"), "\(reply.text)")
        }
        withExtendedLifetime(gone) {}
    }

    @Test(arguments: [true, false])
    func `a SOCKS proxy gets the name`(named: Bool) throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let asked = Mutex<[[UInt8]]>([])
        let port = origin.port
        let proxy = ScriptedOrigin(
            opening: { peer in
                let offer = peer.read(2)
                _ = peer.read(Int(offer.last ?? 0))
                peer.send([5, named ? 2 : 0])
                if named {
                    let user = peer.read(Int(peer.read(2).last ?? 0))
                    let password = peer.read(Int(peer.read(1).first ?? 0))
                    asked.withLock { $0 += [user, password] }
                    peer.send([1, 0])
                }
                let request = peer.read(5)
                let place = peer.read(Int(request.last ?? 0) + 2)
                asked.withLock { $0 += [request, place] }
                peer.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                peer.relay(to: port)
            }, { _ in })
        let daemon = try DaemonUnderTest(
            flag(proxy, "socks5") + Self.facingTheInternet, environment: named ? Self.credentials : [:])
        #expect(try reply(Self.picture, of: daemon).status == 200)
        let name = Array("images.example".utf8)
        let credentials = named ? [Array("pictor".utf8), Array("pass:word".utf8)] : []
        #expect(
            asked.withLock(\.self) == credentials + [[5, 1, 0, 3, UInt8(name.count)], name + [0, 80]])
        #expect(origin.heads.first?.hasPrefix("GET /a.png HTTP/1.1\r\n") == true)
    }

    @Test func `hosts that are excepted are asked directly, by the rules about addresses`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let proxy = proxy()
        let flags = flag(proxy) + ["--origin-proxy-except", "127.0.0.1,*.inside.example"]
        let open = try DaemonUnderTest(flags, environment: Self.credentials)
        #expect(try reply(origin.url().absolute, of: open).status == 200)
        #expect(origin.accepted == 1 && proxy.accepted == 0)
        #expect(origin.heads.allSatisfy { !$0.contains("Proxy-") })
        let closed = try DaemonUnderTest(flags + Self.facingTheInternet)
        #expect(try reply(origin.url().absolute, of: closed).status == 400)
        #expect(origin.accepted == 1 && proxy.accepted == 0)
    }

    @Test(arguments: [
        "http://127.0.0.1/a.png", "http://[::1]/a.png", "http://169.254.169.254/a.png",
        "http://localhost/a.png",
        "http://metadata.internal/a.png", "http://images.example:22/a.png",
    ])
    func `the rules about literal addresses, names and ports hold before the proxy is asked`(url: String)
        throws
    {
        let proxy = proxy()
        let daemon = try DaemonUnderTest(flag(proxy) + Self.facingTheInternet)
        #expect(try reply(url, of: daemon).status == 400)
        #expect(proxy.accepted == 0)
    }

    @Test func `a redirect behind the proxy is checked as any other`() throws {
        let proxy = ScriptedOrigin { peer in peer.redirect(to: "http://10.0.0.1/a.png") }
        let daemon = try DaemonUnderTest(flag(proxy) + Self.facingTheInternet)
        #expect(try reply(Self.picture, of: daemon).status == 400)
        #expect(proxy.heads.count == 1)
    }

    @Test func `the environment's proxies are not heeded`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let proxy = proxy()
        let place = "http://127.0.0.1:\(proxy.port)"
        let daemon = try DaemonUnderTest(
            environment: ["http_proxy": place, "https_proxy": place, "ALL_PROXY": place, "all_proxy": place])
        #expect(try reply(origin.url().absolute, of: daemon).status == 200)
        #expect(proxy.accepted == 0)
        // Nor those who are to be spared from it.
        let through = try DaemonUnderTest(flag(proxy), environment: ["no_proxy": "*", "NO_PROXY": "*"])
        #expect(try reply(Self.picture, of: through).status == 200)
    }

    @Test(arguments: [
        ("ftp://proxy.example", ""), ("proxy.example:3128", ""), ("http://", ""),
        ("http://proxy.example:", ""),
        ("http://proxy.example:70000", ""), ("http://proxy.example/path", ""),
        ("http://user:geheim@proxy.example:3128", ""), ("https://proxy.example:3128", ""), ("", "*.example"),
        ("http://proxy.example:3128", "a b"),
    ])
    func `mistakes of the settings are named, without a password`(proxy: String, except: String) throws {
        let folder = TemporaryFolder()
        let command = try PictorCommand([
            "check", "--cache-directory", folder.path, "--origin-proxy", proxy, "--origin-proxy-except",
            except,
        ])
        #expect(command.status == 78)
        #expect(command.error.contains("origin.proxy") && !command.error.contains("geheim"))
    }

    @Test func `check says that the proxy alone keeps from addresses inside`() throws {
        let folder = TemporaryFolder()
        func error(_ flags: [String]) throws -> String {
            try PictorCommand(
                ["check", "--cache-directory", folder.path, "--origin-proxy", "http://proxy.example:3128"]
                    + flags
            ).error
        }
        #expect(try error([]).contains("Warning: origin.proxy"))
        #expect(try !error(["--origin-allow-hosts", "images.example"]).contains("Warning: origin.proxy"))
    }
}
