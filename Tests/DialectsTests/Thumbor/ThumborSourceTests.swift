// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("Behind its operations, a thumbor URL names its picture")
struct ThumborSourceTests {
    /// The name, and the URL that is fetched.
    @Test(arguments: [
        ("a.example/b.jpg", "http://a.example/b.jpg"), ("https://a.example/b.jpg", "https://a.example/b.jpg"),
        ("http://a.example:8080/b", "http://a.example:8080/b"), ("https:/a.example/b", "https://a.example/b"),
        ("HTTPS://A.example/b", "https://a.example/b"), ("a.example:81/b", "http://a.example:81/b"),
        ("https%3A%2F%2Fa.example%2Fb.jpg%3Fv%3D1", "https://a.example/b.jpg?v=1"),
        ("https://a.example/b%20c.jpg", "https://a.example/b%20c.jpg"),
        ("https://a.example/b%2520c.jpg", "https://a.example/b%20c.jpg"),
        ("https://a.example/a+b.jpg", "https://a.example/a+b.jpg"),
        ("https://a.example/100%.jpg", "https://a.example/100%25.jpg"),
        ("https://a.example/caf%C3%A9.jpg", "https://a.example/caf%C3%A9.jpg"),
        ("https://a.example/caf%E9.jpg", "https://a.example/caf%E9.jpg"),
        ("https://a.example/b(1),c.jpg", "https://a.example/b(1),c.jpg"),
        ("trim%2Fa.jpg", "http://trim/a.jpg"), ("//a.example/b.jpg", "http://a.example/b.jpg"),
        ("httpbin.example/b", "http://httpbin.example/b"),
    ])
    func `with its scheme, without it, escaped or not`(name: String, url: String) throws {
        #expect(
            try ImageRequest.parse(thumbor: Array("40x30/\(name)".utf8), others: .refuse).source.absolute
                == url)
    }

    @Test(arguments: [
        ("b/c.jpg", "https://site.example/base/b/c.jpg"), ("/b.jpg", "https://site.example/base/b.jpg"),
        ("b%3Fv=1", "https://site.example/base/b?v=1"), ("https://a.example/b", "https://a.example/b"),
    ])
    func `a name without a scheme is of the site, if there is one`(name: String, url: String) throws {
        let sources = OperationSources(base: "https://site.example/base", scheme: .http, spelling: .escapes)
        let found = try ImageRequest.parse(
            thumbor: "smart/\(name)".utf8, sources: sources, others: .refuse, vocabulary: .empty)
        #expect(found.source.absolute == url)
    }
}
