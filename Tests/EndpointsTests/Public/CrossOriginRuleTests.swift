// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
import HTTP1
import HTTPSemantics
import Settings
import Testing

@Suite("The sites of cors.allow") struct CrossOriginRuleTests {
    @Test(arguments: [
        "shop.example", "https://", "https://shop.example/", "https://shop.example/a", "ftp://shop.example",
        "https://shop.example:0", "https://shop.example:65536", "https://shop.example:08",
        "https://a@shop.example",
        "https://*", "null", "", "https://*.127.0.0.1",
    ])
    func `are origins and nothing else`(text: String) {
        #expect(throws: UnusableSetting.self) { try rule(of: [text]) }
        #expect(throws: UnusableSetting.self) { try rule(of: ["*", text]) }
    }

    @Test(arguments: [
        "https://shop.example", "https://shop.example:443", "http://shop.example:8080",
        "http://127.0.0.1:3000",
        "http://[::1]:3000", "http://localhost", "https://*.shop.example", "https://bücher.example",
    ])
    func `may have a port, names below them, and be addresses`(text: String) throws {
        #expect(try rule(of: [text]).variesByOrigin)
        #expect(throws: UnusableSetting.self) { try rule(of: ["*", text]) }
    }

    @Test(arguments: [
        ("http://[::1]:3000", "http://[::1]:3000", true), ("http://[::1]:3000", "http://[::1]", false),
        ("http://[2001:DB8::0:1]", "http://[2001:db8::1]", true),
        ("http://127.0.0.1", "http://127.0.0.1", true),
        ("https://*.shop.example", "https://a.shop.example", true),
        ("https://*.shop.example", "https://shop.example", false),
        ("https://bücher.example", "https://xn--bcher-kva.example", true),
    ])
    func `let the pages read that browsers name so`(site: String, origin: String, isAllowed: Bool) throws {
        let request = Request(method: "GET", target: "/", fields: Fields([.init("Origin", origin)]))
        var fields = Fields()
        try rule(of: [site]).append(to: &fields, for: request)
        #expect(fields["Access-Control-Allow-Origin"] == (isAllowed ? origin : nil))
    }

    private func rule(of sites: [String]) throws -> CrossOriginRule {
        var settings = Settings()
        settings.cors.allow = sites
        return try CrossOriginRule(settings.cors)
    }
}
