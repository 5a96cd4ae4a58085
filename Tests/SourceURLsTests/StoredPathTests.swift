// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Testing

@Suite("A URL of a file or an object names one thing in one way")
struct StoredPathTests {
    @Test func `a file below a folder`() throws {
        let url = try SourceURL.parse("file://photos/2024/a.jpg")
        #expect(url == SourceURL(scheme: .file, host: "photos", port: 0, target: "/2024/a.jpg"))
        #expect(url.absolute == "file://photos/2024/a.jpg")
        #expect(url.origin.description == "file://photos")
        #expect(url.storedPath == Array("2024/a.jpg".utf8))
    }

    @Test func `an object in a bucket`() throws {
        let url = try SourceURL.parse("S3://shop-media.eu/a/b.png")
        #expect(url.absolute == "s3://shop-media.eu/a/b.png")
        #expect(url.scheme == .s3 && url.host == "shop-media.eu")
    }

    @Test(arguments: [
        ("AZURE://c/a%2Fb//c/", "azure://c/a/b//c/"),
        ("azure://c-1/a(b)'c!", "azure://c-1/a%28b%29%27c%21"),
        ("file://p/a b.jpg", "file://p/a%20b.jpg"),
        ("file://p/a%20b.jpg", "file://p/a%20b.jpg"),
        ("file://p/%61.jpg", "file://p/a.jpg"),
        ("file://p/a%2520b", "file://p/a%2520b"),
        ("file://p/100%", "file://p/100%25"),
        ("file://p/a%3Fb%23c", "file://p/a%3Fb%23c"),
        ("file://p/a+b&c=d", "file://p/a%2Bb%26c%3Dd"),
        ("file://p/\u{E9}", "file://p/%C3%A9"),
        ("file://p/%ff", "file://p/%FF"),
        ("file://p/...", "file://p/..."),
        ("file://p/a#b", "file://p/a"),
        ("s3://b/a%2Fb", "s3://b/a/b"),
        ("s3://b//a//b/", "s3://b//a//b/"),
        ("s3://b/~a*b", "s3://b/~a%2Ab"),
    ])
    func `escapes are undone once, and one spelling is left`(text: String, absolute: String) throws {
        let url = try SourceURL.parse(text)
        #expect(url.absolute == absolute)
        #expect(try SourceURL.parse(absolute) == url)
    }

    @Test(arguments: [
        ("file:///etc/passwd", SourceURLError.invalidPlace),
        ("file://Photos/a", .invalidPlace), ("file://a:80/b", .invalidPlace), ("file://u@a/b", .invalidPlace),
        ("file://%61/b", .invalidPlace), ("file://./b", .invalidPlace), ("file://../b", .invalidPlace),
        ("s3://\(String(repeating: "a", count: 64))/b", .invalidPlace),
        ("file:photos/a", .missingSlashes), ("file:/etc/passwd", .missingSlashes),
        ("file://p", .invalidPath), ("file://p/", .invalidPath), ("file://p//a", .invalidPath),
        ("file://p/a/", .invalidPath), ("file://p/../a", .invalidPath), ("file://p/./a", .invalidPath),
        ("file://p/%2e%2E/a", .invalidPath), ("file://p/a%2Fb", .invalidPath),
        ("file://p/a%2f..", .invalidPath),
        ("file://p/a%00", .invalidPath), ("file://p/a\\b", .backslash),
        ("s3://b/", .invalidPath), ("s3://b/..%2Fa", .invalidPath), ("s3://b/a/..", .invalidPath),
        ("azure://C/a", .invalidPlace), ("azure://$web/a", .invalidPlace), ("azure://c/", .invalidPath),
        ("azure://c/a%5Cb", .invalidPath), ("azure://c/..%5Cd/a", .invalidPath),
        ("azure://c/a%2F..", .invalidPath), ("azure:c/a", .missingSlashes),
        ("azure://c/a?sv=1&sig=2", .unwantedQuery),
        ("file://p/a?b", .unwantedQuery), ("s3://b/a?versionId=1", .unwantedQuery),
        ("file://p?/a", .unwantedQuery),
    ])
    func `what leads out or could be read in two ways is refused`(text: String, error: SourceURLError) {
        #expect(throws: error) { try SourceURL.parse(text) }
    }

    @Test func `a prefix may be the place alone or a folder`() throws {
        #expect(try SourceURL.parse("file://p", isPrefix: true).absolute == "file://p/")
        #expect(try SourceURL.parse("file://p/a/", isPrefix: true).absolute == "file://p/a/")
        #expect(throws: SourceURLError.invalidPath) { try SourceURL.parse("file://p/../", isPrefix: true) }
    }
}
