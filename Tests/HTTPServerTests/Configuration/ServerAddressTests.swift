// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Kernel
import Testing

@Suite("The address of a listener, as settings spell it")
struct ServerAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", .tcp(host: "127.0.0.1", port: 8080)),
            ("localhost:0", .tcp(host: "localhost", port: 0)),
            ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
            ("[fe80::1%eth0]:80", .tcp(host: "fe80::1%eth0", port: 80)),
            (":8080", .tcp(host: "", port: 8080)),
            ("unix:/run/a.sock", .unix(path: "/run/a.sock")), ("unix:a:80", .unix(path: "a:80")),
        ] as [(String, ServerAddress)])
    func `it is a host with a port, or a path`(text: String, address: ServerAddress) {
        #expect(ServerAddress(text) == address)
    }

    @Test(arguments: [
        "", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-0",
        "127.0.0.1:8 0", "127.0.0.1:\u{668}\u{660}", "::1:8080", "[::1]", "[::1:8080", "[]:8080",
        "http://a.test", "http://a.test:80", "a.test/b:80", "[a/b]:80", "unix:",
    ])
    func `everything else is none`(text: String) {
        #expect(ServerAddress(text) == nil)
        #expect(ListenAddress(text: text) == nil)
    }

    @Test func `a listener without a host takes IPv6 and IPv4`() {
        #expect(ListenAddress(text: ":8080") == .tcp(host: "::", port: 8080))
        #expect(ListenAddress(text: "unix:/run/a.sock") == .unix(path: "/run/a.sock"))
    }

    @Test(arguments: ["127.0.0.1:80", "[::1]:80", "unix:/run/a.sock"])
    func `its text is read back as the same`(text: String) {
        #expect(ListenAddress(text: text)?.text == text)
    }
}
