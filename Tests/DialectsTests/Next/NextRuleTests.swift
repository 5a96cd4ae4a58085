// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import HTTPSemantics
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite("What a configuration allows at Next's endpoint is allowed, and nothing else")
struct NextRuleTests {
    private func request(_ query: String, _ rules: NextRules = NextRules()) throws -> ImageRequest {
        try ImageRequest.parse(next: query.utf8, rules: rules)
    }

    private func rules(_ change: (inout Settings.Next) -> Void) throws -> NextRules {
        var settings = Settings()
        change(&settings.next)
        return try NextRules(settings)
    }

    @Test(arguments: [
        ("1", 1), ("640", 640), ("0640", 640), ("16384", 16_384), ("16385", 16_384), ("999999999", 16_384),
    ])
    func `a width is any number, and no more than may be asked for`(text: String, width: Int) throws {
        let recipe = try request("url=https://a.com/x&w=\(text)&q=75").recipe
        #expect(recipe.width == .pixels(width))
        #expect(recipe.withoutEnlargement && recipe.pages == -1 && recipe.output == .auto)
    }

    @Test(arguments: ["0", "-1", "+1", "1.5", "1e3", "x", " 1", "99999999999999999999", "٣"])
    func `what is no number is refused as one`(text: String) {
        #expect(throws: NextRefusal.notAWidth) { try request("url=https://a.com/x&w=\(text)&q=75") }
        #expect(throws: NextRefusal.notAQuality) { try request("url=https://a.com/x&w=640&q=\(text)") }
    }

    @Test(arguments: [("1", true), ("100", true), ("101", false)])
    func `a quality is one to a hundred`(text: String, isAllowed: Bool) {
        #expect(((try? request("url=https://a.com/x&w=640&q=\(text)")) != nil) == isAllowed)
    }

    @Test(
        arguments: [
            ("https://a.com/x", nil), ("HTTP://a.com/x", nil), ("http://a.com/x", nil),
            ("ssl:a.com/x", .invalidSource),
            ("a.com/x", .invalidSource), ("https:a.com", .invalidSource), ("https:/a.com", .invalidSource),
            ("ftp://a.com/x", .invalidSource), ("//a.com/x", .protocolRelative),
            ("/x.png", .sourceNotAllowed),
            ("/_next/image", .recursive), ("/_next/image?url=x", .recursive),
            ("/a/_next/image/b", .recursive), ("/_vercel/image?url=x", .recursive),
            ("/%255fnext/image", .sourceNotAllowed), ("/%5fnext/image", .recursive),
            ("/_next/images", .sourceNotAllowed),
            ("/x?y=/_next/image", .sourceNotAllowed),
        ] as [(String, NextRefusal?)])
    func `a source is absolute, or a path of the site`(source: String, refusal: NextRefusal?) {
        let escaped = source.replacing("%", with: "%25").replacing("?", with: "%3F")
        do throws(NextRefusal) {
            _ = try ImageRequest.parse(next: "url=\(escaped)&w=640&q=75".utf8, rules: NextRules())
            #expect(refusal == nil, "\(source)")
        } catch {
            #expect(error == refusal, "\(source)")
        }
    }

    @Test func `a source has 3,072 bytes at most`() {
        let longest = "https://a.com/" + String(repeating: "x", count: 3_072 - 14)
        #expect(throws: Never.self) { try request("url=\(longest)&w=640&q=75") }
        #expect(throws: NextRefusal.sourceTooLong) { try request("url=\(longest)x&w=640&q=75") }
    }

    @Test func `each parameter is needed, and once`() {
        for name in ["url", "w", "q"] {
            let others = ["url=https://a.com/x", "w=640", "q=75"].filter { !$0.hasPrefix(name + "=") }
            let rest = others.joined(separator: "&")
            for missing in [rest, "\(rest)&\(name)", "\(rest)&\(name)="] {
                #expect(throws: NextRefusal.missing(parameter: name)) { try request(missing) }
            }
            #expect(throws: NextRefusal.repeated(parameter: name)) {
                try request("\(rest)&\(name)=1&\(name)=1")
            }
        }
    }

    // MARK: Settings

    @Test func `lists of widths and qualities are taken from the settings`() throws {
        let rules = try rules { ($0.widths, $0.qualities) = (["640", "1", "16384"], ["75", "100"]) }
        #expect(rules.widths == [1, 640, 16_384] && rules.qualities == [75, 100])
        for (widths, qualities) in [
            (["0"], ["75"]), (["16385"], ["75"]), (["x"], []), ([], ["0"]), ([], ["101"]), ([], ["x"]),
        ] {
            #expect(throws: UnusableSetting.self) {
                try self.rules { ($0.widths, $0.qualities) = (widths, qualities) }
            }
        }
    }

    @Test(
        arguments: [
            ("https://site.com", "https://site.com"), ("https://site.com/", "https://site.com"),
            ("http://site.com:8080/a/", "http://site.com:8080/a"), ("", nil),
        ] as [(String, String?)])
    func `paths are fetched from the site that the settings name`(text: String, base: String?) throws {
        let rules = try rules { $0.baseURL = text }
        #expect(rules.base == base)
        guard let base else { return }
        #expect(try request("url=/x.png&w=640&q=75", rules).source.absolute == base + "/x.png")
    }

    @Test(arguments: ["site.com", "//site.com", "ftp://site.com", "https://", "https://me@site.com", "/a"])
    func `a site that is none is refused`(text: String) {
        #expect(throws: UnusableSetting.self) { try rules { $0.baseURL = text } }
    }

    @Test func `formats are those that Next knows`() throws {
        func formats(_ names: [String]) throws -> AcceptClass {
            var settings = Settings()
            settings.next.formats = names
            return try NextRules.formats(settings.next)
        }
        #expect(try formats([]) == [])
        #expect(try formats(["webp"]) == .webp)
        #expect(try formats(["avif"]) == [.avif, .webpFirst])
        #expect(try formats(["avif", "webp"]) == [.avif, .webp, .webpFirst])
        for name in ["gif", "AVIF", "image/webp", ""] {
            #expect(throws: UnusableSetting.self) { try formats([name]) }
        }
    }

    @Test func `a refusal is in Next's words`() {
        for (refusal, words) in [
            (NextRefusal.missing(parameter: "url"), "\"url\" parameter is required"),
            (.repeated(parameter: "q"), "\"q\" parameter (quality) cannot be an array"),
            (.notAllowed(parameter: "w", value: 5), "\"w\" parameter (width) of 5 is not allowed"),
        ] { #expect(refusal.message == words) }
    }

    @Test func `an upstream response without end is invalid in Next's words`() {
        for code in ["original_too_large", "too_many_redirects", "origin_status"] {
            #expect(
                NextRefusal.words(of: code) == "\"url\" parameter is valid but upstream response is invalid")
        }
    }
}
