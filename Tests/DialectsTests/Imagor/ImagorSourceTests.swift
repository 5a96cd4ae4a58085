// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("Behind its operations, an imagor URL names its picture")
struct ImagorSourceTests {
    /// The name, and the URL that is fetched.
    @Test(arguments: [
        ("raw.example/cshum/gopher.png", "https://raw.example/cshum/gopher.png"),
        ("http://a.example/b", "http://a.example/b"), ("https:/a.example/b", "https://a.example/b"),
        ("https%3A%2F%2Fa.example%2Fi.jpg%3Fv%3D123%26d%3D1", "https://a.example/i.jpg?v=123&d=1"),
        ("https:%2F%2Ffoobar%2Fen%2Fman.png%3Ffoo=bar", "https://foobar/en/man.png?foo=bar"),
        (
            "b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZS5qcGc_c2l6ZT1sYXJnZSZkb3dubG9hZD0x",
            "https://example.com/image.jpg?size=large&download=1"
        ),
        ("b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZS5qcGc=/", "https://example.com/image.jpg"),
        ("b64:aHR0cHM6Ly9leGFtcGxlLmNvbS9pbWFnZS5qcGc", "https://example.com/image.jpg"),
        ("a.example/a+b.jpg", "https://a.example/a%20b.jpg"),
        ("a.example/a%2Bb.jpg", "https://a.example/a+b.jpg"),
        ("a.example/photo%281%29.jpg", "https://a.example/photo(1).jpg"),
        ("a.example/Google Photos/I.jpg", "https://a.example/Google%20Photos/I.jpg"),
        ("trim%2Fimg", "https://trim/img"), ("fit-in%2Fimg", "https://fit-in/img"),
    ])
    func `with its scheme, without it, escaped or in base64`(name: String, url: String) throws {
        #expect(
            try ImageRequest.parse(imagor: Array("40x30/\(name)".utf8), others: .refuse).source.absolute
                == url)
    }

    @Test(arguments: [
        ("", "names no picture"), ("40x30/", "names no picture"),
        ("40x30/color:red", "\"color:\" is not supported"),
        ("40x30/b64:", "names no picture"), ("40x30/b64:ZnRwOi8vYS9i", "Only http"),
        ("40x30/b64:some-file.jpg", "URL"),
        ("ftp://a.example/b", "Only http"),
    ])
    func `what names no picture is refused`(path: String, words: String) {
        let message = refusalMessage { try ImageRequest.parse(imagor: Array(path.utf8), others: .refuse) }
        #expect(message.contains(words), "\(message)")
    }
}
