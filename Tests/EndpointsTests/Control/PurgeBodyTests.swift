// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
import Pipeline
import Testing

@Suite("A purge's body does not end the process") struct PurgeBodyTests {
    @Test(arguments: ["[", "{\"a\":", " [", "[[],"], [17, 511, 512, 513, 514, 10_000])
    func `deep nesting is refused`(opening: String, depth: Int) {
        let text = Array(String(repeating: opening, count: depth).utf8)
        #expect(throws: PurgeBody.Mistake.self) { try PurgeBody.read(text) }
    }

    @Test func `a host that is read as an address is refused, and no bucket is passed over`() throws {
        for host in ["photos", "Photos", "a.example", "10.0.0.1", "[::1]"] {
            let body = try PurgeBody.read(Array("{\"host\":\"\(host)\"}".utf8))
            #expect(try body.order.selection == .host(host.lowercased()))
        }
        for host in ["bücher", "例え。テスト"] {
            let body = try PurgeBody.read(Array("{\"host\":\"\(host)\"}".utf8))
            guard case .host(let name) = try body.order.selection else { Issue.record("\(host)"); continue }
            #expect(name.hasPrefix("xn--"))
        }
        for host in ["2024", "0x7f", "10.20", "1.2", "2024:", "a/b", ""] {
            let text = Array("{\"host\":\"\(host)\"}".utf8)
            #expect(throws: PurgeBody.Mistake.self, "\(host)") { try PurgeBody.read(text).order }
        }
    }

    @Test(arguments: ["url", "prefix", "host", "tag", "all", "soft", "dry_run"])
    func `a member that is null is refused, and not taken for one that is missing`(member: String) throws {
        let selection = member == "host" ? "\"tag\":\"shop\"" : "\"host\":\"a.example\""
        _ = try PurgeBody.read(Array("{\(selection)}".utf8))
        for text in ["{\(selection),\"\(member)\":null}", "{\"\(member)\":null}"] {
            #expect(throws: PurgeBody.Mistake.self) { try PurgeBody.read(Array(text.utf8)) }
        }
    }

    @Test func `a host may be an address of IPv6 with or without brackets`() throws {
        for (host, name) in [
            ("::1", "[::1]"), ("2001:DB8::80", "[2001:db8::80]"), ("[2001:db8::80]", "[2001:db8::80]"),
        ] {
            let body = try PurgeBody.read(Array("{\"host\":\"\(host)\"}".utf8))
            #expect(try body.order.selection == .host(name))
        }
        for host in [":", "::1:", "[::1", "::1]", "[::1]:80", "2001:db8::1%eth0"] {
            let text = Array("{\"host\":\"\(host)\"}".utf8)
            #expect(throws: PurgeBody.Mistake.self, "\(host)") { try PurgeBody.read(text).order }
        }
    }

    @Test func `brackets in a tag are its own`() throws {
        let tag = String(repeating: "[{", count: 600) + "\\\"["
        let body = try PurgeBody.read(Array("{\"tag\":\"\(tag)\"}".utf8))
        #expect(body.tag?.hasSuffix("\"[") == true)
    }
}
