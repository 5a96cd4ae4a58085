// SPDX-License-Identifier: Apache-2.0

import Dialects
import RequestGrammar
import SourceURLs
import Testing

@Suite struct NextQueryTests {
    private func request(_ query: String, _ rules: NextRules = NextRules()) throws -> ImageRequest {
        try ImageRequest.parse(next: query.utf8, rules: rules)
    }

    @Test func `a width and a quality are a picture that never grows, in a format by Accept`() throws {
        let request = try request("url=https%3A%2F%2Fa.com%2Fx.png&w=640&q=75")
        #expect(request.source.absolute == "https://a.com/x.png")
        #expect(request.recipe.canonical == "n=-1&output=auto&q=75&w=640")
    }

    @Test(arguments: [
        ("w=640&q=75", "\"url\" parameter is required"), ("url=&w=640&q=75", "\"url\" parameter is required"),
        ("url=https://a.com&q=75", "\"w\" parameter (width) is required"),
        ("url=https://a.com&w=640", "\"q\" parameter (quality) is required"),
        ("url=https://a.com&url=https://b.com&w=640&q=75", "\"url\" parameter cannot be an array"),
        ("url=https://a.com&w=1&w=2&q=75", "\"w\" parameter (width) cannot be an array"),
        ("url=https://a.com&w=0&q=75", "\"w\" parameter (width) must be an integer greater than 0"),
        ("url=https://a.com&w=6.5&q=75", "\"w\" parameter (width) must be an integer greater than 0"),
        ("url=https://a.com&w=640&q=101", "\"q\" parameter (quality) must be an integer between 1 and 100"),
        ("url=https://a.com&w=640&q=x", "\"q\" parameter (quality) must be an integer between 1 and 100"),
        ("url=//a.com/x&w=640&q=75", "\"url\" parameter cannot be a protocol-relative URL (//)"),
        ("url=/_next/image?url=x&w=640&q=75", "\"url\" parameter cannot be recursive"),
        ("url=/foo.png&w=640&q=75", "\"url\" parameter is not allowed"),
        ("url=ftp://a.com/x&w=640&q=75", "\"url\" parameter is invalid"),
        ("url=a.com/x&w=640&q=75", "\"url\" parameter is invalid"),
        (
            "url=https://a.com/" + String(repeating: "x", count: 3_072) + "&w=640&q=75",
            "\"url\" parameter is too long"
        ),
    ])
    func `what Next refuses is refused in its words`(query: String, words: String) {
        let refusal = #expect(throws: NextRefusal.self) { try request(query) }
        #expect(refusal?.message == words)
    }

    @Test(arguments: [
        ("%20https://a.com/x.png%20", "https://a.com/x.png"),
        ("https://a.com/x.png%0D%0A", "https://a.com/x.png"),
        ("https://a.com/x%0A.png", "https://a.com/x.png"),
        ("%01%09htt%09ps://a.com/x%20y%00", "https://a.com/x%20y"),
        ("https://a.com/%E9", "https://a.com/%E9"),
    ])
    func `of a whole URL, blanks at its ends and line ends are dropped`(text: String, url: String) throws {
        #expect(try request("url=\(text)&w=640&q=75").source.absolute == url)
    }

    @Test(arguments: [
        "%20", "%20/x.png", "%09//a.com/x", "https://a.com/x%01y", "/x.png%20", "/x%0A.png",
        "/_next/ima%09ge",
    ])
    func `other blanks and control characters make a URL invalid`(text: String) {
        let rules = NextRules(base: "https://site.com")
        #expect(throws: NextRefusal.invalidSource) { try request("url=\(text)&w=640&q=75", rules) }
    }

    @Test func `a configuration may list widths and qualities, and where relative URLs are`() throws {
        let rules = NextRules(widths: [640], qualities: [75], base: "https://site.com")
        #expect(
            try request("url=/foo.png?v=1&w=640&q=75", rules).source.absolute
                == "https://site.com/foo.png?v=1")
        #expect(throws: NextRefusal.notAllowed(parameter: "w", value: 641)) {
            try request("url=/foo.png&w=641&q=75", rules)
        }
        #expect(throws: NextRefusal.notAllowed(parameter: "q", value: 80)) {
            try request("url=/foo.png&w=640&q=80", rules)
        }
    }
}
