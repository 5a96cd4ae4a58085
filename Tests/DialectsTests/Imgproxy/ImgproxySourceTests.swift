// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite("imgproxy's sources are plain or in base64")
struct ImgproxySourceTests {
    @Test(
        arguments: [
            ("plain/https://a.example/b.jpg", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/b.jpg@png", "https://a.example/b.jpg", "png"),
            ("plain/https://a.example/b.jpg@", "https://a.example/b.jpg", ""),
            ("plain/https:/a.example/b.jpg@webp", "https://a.example/b.jpg", "webp"),
            ("plain/https%3A%2F%2Fa.example%2Fb.jpg", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/b%3Fv=1%40x", "https://a.example/b?v=1@x", ""),
            ("plain/https://a.example/b.jpg?v=1", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/a%2520b", "https://a.example/a%20b", ""),
            ("plain/https://a.example/%E9%25%C3%A9@png", "https://a.example/%E9%25%C3%A9", "png"),
            ("plain/https://a.example/x/plain/y", "https://a.example/x/plain/y", ""),
            (
                "aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn",
                "http://example.com/images/curiosity.jpg",
                ""
            ),
            (
                "aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
                "http://example.com/images/curiosity.jpg", "png"
            ),
            ("aHR0cDovL2V4YW1wbGUuY29tLw==", "http://example.com/", ""),
            ("aHR0cDovL2V4YW1wbGUuY29tLz8_.webp", "http://example.com/??", "webp"),
        ] as [(String, String, String)])
    func `a source is read with its extension`(source: String, url: String, format: String) throws {
        let request = try read(imgproxy: "/_/w:8/\(source)")
        #expect(request.source.absolute == url)
        let native = "url=https://h/&metadata=copyright&w=8" + (format.isEmpty ? "" : "&output=\(format)")
        #expect(request.recipe == (try ImageRequest.parse(query: native).recipe))
        let bare = try read(imgproxy: "/_/\(source)")
        #expect(bare.source == request.source && bare.recipe.width == nil)
    }

    @Test(
        arguments: [
            ("/_/w:8", "no source"), ("/_/w:8/", "no source"), ("/_/w:8/plain", "neither"),
            ("/_/w:8/plain/", "no source"), ("/_/plain/@png", "no source"), ("/_/.png", "no source"),
            ("/_/plain/https://a/b@png@webp", "more than one"), ("/_/aHR0cDovL2E.png.webp", "more than one"),
            ("/_/w:8/h100/plain/https://www.a.example/b.png", "\"h100\" is neither an option"),
            ("/_/w:8/-/w:4/plain/https://a/b", "\"-\" is not supported"),
            ("/_/w:8/-/w:4/aHR0cDovL2E.png", "\"-\" is not supported"),
            ("/_/w:8/www.a.example/b.png", "neither"),
            ("/_/plain/ftp://a/b", "no http or https URL"),
            ("/_/plain/azure://bucket/b", "no http or https URL"),
            ("/_/plain/file://local/b.jpg", "no http or https URL"),
            ("/_/plain/s3://bucket/b%3Fversion", "has no query"), ("/_/plain/s3://Bucket/b", "lower-case"),
            ("/_/plain/s3://bucket", "URL"), ("/_/plain/local:///../b", "URL"),
            ("/_/plain/b.jpg", "imgproxy.base-url"),
            ("/_/w:8/https://a/b", "neither plain/<URL>"), ("/_/http:/a/b.jpg", "neither plain/<URL>"),
            ("/_/plain/s3://bucket/%FF", "not UTF-8"), ("/_/plain/local:///%FF", "not UTF-8"),
            ("/_/a+b/c", "neither"), ("/_/abcde", "neither"),
            ("/_/_w", "neither"), ("/_/aHR0cDovL2EgYg", "source|URL|host"),
            ("/_/plain/https://", "URL|host|source"),
            ("/_/w:8/plain/https://a/b@2x.jpg", "\"2x.jpg\", which is no format. Write an @"),
            ("/_/plain/https://a/b@2x.jpg@webp", "as %40"),
            ("/_/aHR0cHMlM0ElMkYlMkZhJTJGYg", "once too often"),
            ("/_/plain/https%253A%252F%252Fa%252Fb", "once too often"),
            ("/_/", "no source"), ("/_/fill/300/400/sm/0/plain/https://a/b", "old form"),
        ] as [(String, String)])
    func `anything else is refused`(target: String, words: String) throws {
        let message = try refusal(imgproxy: target)
        #expect(words.split(separator: "|").contains { message.contains($0) }, "\(message)")
    }

    @Test(
        arguments: [
            ("aHR0cDovL2EvYg.png/puppy.jpg", "http://a/b", "png"),
            ("aHR0cDov/L2EvYg/puppy.jpg", "http://a/b", ""), ("aHR0cDovL2EvYg/", "http://a/b", ""),
            ("aHR0cDovL2EvYg.png", "http://a/b", "png"), ("plain/http://a/b@png", "http://a/b", "png"),
        ] as [(String, String, String)])
    func `a file name behind base64 says nothing of the picture, where the settings say that there is one`(
        source: String, url: String, format: String
    ) throws {
        let change = { (settings: inout Settings) in settings.imgproxy.base64Filename = true }
        let request = try read(imgproxy: "/_/w:8/\(source)", change)
        #expect(request.source.absolute == url)
        let native = "url=https://h/&metadata=copyright&w=8" + (format.isEmpty ? "" : "&output=\(format)")
        #expect(request.recipe == (try ImageRequest.parse(query: native).recipe))
        #expect(request.delivery.filename == (source.hasSuffix("puppy.jpg") ? "puppy" : "b"))
    }

    @Test func `an @ is told of where one counts`() throws {
        #expect(try refusal(imgproxy: "/_/plain/https://a/b@png@webp").contains("%40"))
        #expect(try !refusal(imgproxy: "/_/aHR0cDovL2E.png.webp").contains("@"))
    }

    @Test func `elsewhere a file name is a part of the base64`() throws {
        #expect(try refusal(imgproxy: "/_/aHR0cDovL2EvYg.png/puppy.jpg").contains("more than one"))
        #expect(try refusal(imgproxy: "/_/aHR0cDovL2EvYg/puppy!.jpg").contains("neither"))
    }

    @Test func `a base is put before sources that do not begin with it`() throws {
        let change = { (settings: inout Settings) in settings.imgproxy.baseURL = "https://site.example/up/" }
        for source in ["plain/a/b.jpg", "plain/https://site.example/up/a/b.jpg", "YS9iLmpwZw"] {
            let request = try read(imgproxy: "/_/w:8/\(source)", change)
            #expect(request.source.absolute == "https://site.example/up/a/b.jpg")
        }
        #expect(throws: UnusableSetting.self) { try imgproxy { $0.imgproxy.baseURL = "site.example" } }
    }

    /// Keys are written unescaped in imgproxy's sources, and the path is decoded once.
    @Test(
        arguments: [
            ("plain/s3://media/a/b.jpg@png", "s3://media/a/b.jpg"),
            ("plain/s3:/media/b.jpg", "s3://media/b.jpg"),
            ("czM6Ly9tZWRpYS9hL2IuanBn.png", "s3://media/a/b.jpg"),
            ("plain/s3://media/a%20b%2523.jpg", "s3://media/a%20b%2523.jpg"),
            ("plain/s3://media/a%23b.jpg", "s3://media/a%23b.jpg"),
            ("plain/s3://media//b.jpg", "s3://media/b.jpg"), ("plain/gs://media/b.jpg", "s3://media/b.jpg"),
            ("plain/swift://media/b.jpg", "s3://media/b.jpg"),
            ("plain/abs://media/b.jpg", "azure://media/b.jpg"),
            ("plain/local:///a/b.jpg", "file://local/a/b.jpg"),
            ("plain/local:/a/b.jpg", "file://local/a/b.jpg"),
        ] as [(String, String)])
    func `what imgproxy has for its stores is what the settings name`(source: String, url: String) throws {
        let request = try read(imgproxy: "/_/w:8/\(source)")
        #expect(request.source.absolute == url && !request.hidesSource)
    }

    @Test(
        arguments: [
            ("s3://media/", "a/b.jpg", "s3://media/a/b.jpg"), ("s3://media", "b.jpg", "s3://media/b.jpg"),
            ("s3://media", "s3://media/b.jpg", "s3://media/b.jpg"),
            ("gs://media/up/", "b", "s3://media/up/b"),
            ("s3://media", "x.jpg/s3://media", "s3://media/x.jpg/s3%3A//media"),
            ("abs://media/", "a%b", "azure://media/a%25b"), ("local:///", "b.jpg", "file://local/b.jpg"),
        ] as [(String, String, String)])
    func `a base may be one of these places`(base: String, source: String, url: String) throws {
        let escaped = source.replacing("%", with: "%25").replacing(":", with: "%3A").replacing(
            "/", with: "%2F")
        let change = { (settings: inout Settings) in settings.imgproxy.baseURL = base }
        #expect(try read(imgproxy: "/_/w:8/plain/\(escaped)", change).source.absolute == url)
        #expect(try refusal(imgproxy: "/_/plain/s3://other/b", change).contains("origin.aliases"))
    }

    @Test(arguments: ["s3://", "s3://Media/", "azure://media/", "file://media/", "s3://a b/"])
    func `a base that is no such place is refused at once`(base: String) {
        #expect(throws: UnusableSetting.self) { try imgproxy { $0.imgproxy.baseURL = base } }
    }

    @Test func `what imgproxy has for its stores is no path of the base`() throws {
        let change = { (settings: inout Settings) in settings.imgproxy.baseURL = "https://site.example/" }
        for source in [
            "plain/s3://bucket/b", "plain/S3:/bucket/b", "plain/gs://b/c", "plain/abs://b/c",
            "plain/swift://b/c",
            "plain/local:///b.jpg", "czM6Ly9iL2M",
        ] {
            #expect(try refusal(imgproxy: "/_/\(source)", change).contains("origin.aliases"), "\(source)")
        }
        let path = try read(imgproxy: "/_/plain/s3/b.jpg", change)
        #expect(path.source.absolute == "https://site.example/s3/b.jpg")
    }

    @Test(
        arguments: [
            ("https://site.example", ".evil.example/a.jpg", "https://site.example/.evil.example/a.jpg"),
            ("https://site.example", "a.jpg", "https://site.example/a.jpg"),
            ("https://site.example", "/a.jpg", "https://site.example/a.jpg"),
            ("https://site.example", "//evil.example/a.jpg", "https://site.example//evil.example/a.jpg"),
            ("https://site.example", "https://site.example/a.jpg", "https://site.example/a.jpg"),
            ("https://site.example", "https://site.example", "https://site.example/"),
            (
                "https://site.example", "https://site.example.evil.example/a.jpg",
                "https://site.example/https://site.example.evil.example/a.jpg"
            ),
            ("https://site.example:80", "90/a.jpg", "https://site.example:80/90/a.jpg"),
            (
                "https://site.example:80", "https://site.example:8090/a.jpg",
                "https://site.example:80/https://site.example:8090/a.jpg"
            ),
            ("https://media", "a.jpg", "https://media/a.jpg"),
            ("https://site.example/up", "a.jpg", "https://site.example/upa.jpg"),
        ] as [(String, String, String)])
    func `what follows a base never names another host`(base: String, source: String, url: String) throws {
        let escaped = source.replacing(":", with: "%3A").replacing("/", with: "%2F")
        let request = try read(imgproxy: "/_/w:8/plain/\(escaped)") { $0.imgproxy.baseURL = base }
        #expect(request.source.absolute == url)
    }
}
