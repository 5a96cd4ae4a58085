// SPDX-License-Identifier: Apache-2.0

import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

private let source = "plain/https://a.example/b.jpg"

@Suite("imgproxy's /info asks for a description")
struct ImgproxyInfoTests {
    @Test(arguments: [
        ("", ""), ("s:1/f:1/d:0/", ""), ("exif:0/iptc:f/xmp:false/vm:0/", ""), ("avg:1/", "json=average"),
        ("average:t:1/blurhash:4:3/", "json=average,blurhash"), ("avg:1/avg:0/", ""), ("bh:0:0/", ""),
        ("cs:1/b:1/sf:1/pn:1/a:1/", ""), ("th:1/", "json=thumbhash"), ("thumb_hash:1/th:0/", ""),
        ("alpha:1:0/", ""), ("page:3/", "page=3"), ("cb:x/exp:4000000000/", ""),
        ("c:0:0:ce/p:0/dc:0:0/do:0/", ""),
    ])
    func `an option tells what is to be told`(options: String, native: String) throws {
        let expected = try ImageRequest.parse(query: "url=https://a.example/b.jpg&output=json&\(native)")
        let asked = try read(imgproxy: "/info/_/\(options)\(source)")
        #expect(asked.recipe == expected.recipe, "\(asked.recipe.canonical)")
        #expect(asked.source.absolute == "https://a.example/b.jpg")
    }

    @Test(arguments: [
        ("w:30/", "Options of /info"), ("exif:1/", "where the camera was"), ("iptc:t/", "where the camera"),
        ("vm:1/", "no videos"), ("p:8/", "average colour"), ("dc:1/", "average colour"),
        ("c:10:10/", "average colour"), ("do:1/", "average colour"), ("cl:3/", "average colour"),
        ("a:1:1/", "an alpha channel"), ("bh:9:9/", "4:3"),
        ("pg:-1/", "0…100000"),
        ("exp:soon/", "unix time"),
    ])
    func `what cannot be told is refused by name`(options: String, words: String) throws {
        let message = try refusal(imgproxy: "/info/_/\(options)\(source)")
        #expect(message.contains(words), "\(message)")
    }

    @Test func `it lies below the place of the others, and takes the source in each form`() throws {
        let asked = try read(imgproxy: "/pictures/info/_/aHR0cHM6Ly9hLmV4YW1wbGUvYi5qcGc") {
            $0.imgproxy.path = "/pictures"
        }
        #expect(asked.recipe.output == .json && asked.source.absolute == "https://a.example/b.jpg")
        #expect(try refusal(imgproxy: "/info/_/").contains("no source"))
    }
}
