// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import SourceURLs
import Testing

@Suite("Lists of URLs know that servers may drop parameters of segments")
struct SegmentParameterTests {
    private static func refusal(
        _ text: String, _ change: (inout SourcePolicy) throws -> Void
    ) throws -> SourceRefusal? {
        var policy = SourcePolicy()
        try change(&policy)
        return policy.refusal(of: try SourceURL.parse(text))
    }

    private static func urls(_ prefix: String) throws -> [URLPrefix] { [try #require(URLPrefix(prefix))] }

    @Test func `a prefix with a parameter closes no path without it`() throws {
        for (url, isOpen) in [
            ("https://a.example/media;old/1", false), ("https://a.example/%6Dedia;old/1", false),
            ("https://a.example/media/1", true), ("https://a.example/media;new/1", true),
        ] {
            let refusal = try Self.refusal(url) {
                $0.deniedURLs = try Self.urls("https://a.example/media;old/")
            }
            #expect(refusal == (isOpen ? nil : .url), "\(url)")
        }
    }

    @Test func `a prefix with a parameter opens what lies below it`() throws {
        for (url, isOpen) in [
            ("https://a.example/media;old/1", true), ("https://a.example/media;old/1;v=2", true),
            ("https://a.example/media/1", false), ("https://a.example/media;new/1", false),
            ("https://a.example/media;old/;/..;/1", false),
            ("https://a.example/media;%2Fold/1", false),
        ] {
            let refusal = try Self.refusal(url) {
                $0.allowedURLs = try Self.urls("https://a.example/media;old/")
            }
            #expect((refusal == nil) == isOpen, "\(url)")
        }
    }

    @Test(arguments: ["/a;x/b", "/a;%2Fb/c", "/a%3B%2Fb;c", "/;", "/a;/..%2F;b?c;d", "/%3B/..;/a"])
    func `a path with parameters lies below itself`(path: String) throws {
        let url = "https://a.example\(path)"
        #expect(try Self.refusal(url) { $0.allowedURLs = try Self.urls(url) } == nil)
        #expect(try Self.refusal(url) { $0.deniedURLs = try Self.urls(url) } == .url)
    }

    @Test func `a folder's paths have no parameters`() throws {
        var policy = SourcePolicy()
        policy.deniedURLs = try Self.urls("file://photos/private/")
        #expect(policy.denial(of: try SourceURL.parse("file://photos/private/1")) == .url)
        #expect(policy.denial(of: try SourceURL.parse("file://photos/private;x/1")) == nil)
    }
}
