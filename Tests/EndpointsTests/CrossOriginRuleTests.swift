// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
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

    private func rule(of sites: [String]) throws -> CrossOriginRule {
        var settings = Settings()
        settings.cors.allow = sites
        return try CrossOriginRule(settings.cors)
    }
}
