// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Foundation
import Testing

@Suite("Behind params/ stands what a URL of imagor's means")
struct ImagorParametersTests {
    private func json(_ path: String) throws -> String {
        try #require(ImagorParameters(Array("params/\(path)".utf8)[...], .imagor)?.json)
    }

    /// The example of imagor's documents.
    @Test func `all that stands there has its member, in imagor's order and with its blanks`() throws {
        let path =
            "meta/trim:bottom-right:30/10x20:0.5x1/adaptive-full-fit-in/stretch/-500x-400/1x2:3x4/left/bottom/smart/filters:fill(white):format(jpeg):upscale()/raw.example/a%20b.png"
        let text = try json("g5bMqZvxaQK65qFPaP1qlJOTuLM=/\(path)")
        #expect(
            text == """
                {
                  "path": "\(path)",
                  "image": "raw.example/a b.png",
                  "hash": "g5bMqZvxaQK65qFPaP1qlJOTuLM=",
                  "meta": true,
                  "trim": true,
                  "trim_by": "bottom-right",
                  "trim_tolerance": 30,
                  "crop_left": 10,
                  "crop_top": 20,
                  "crop_right": 0.5,
                  "crop_bottom": 1,
                  "fit_in": true,
                  "adaptive_fit_in": true,
                  "full_fit_in": true,
                  "stretch": true,
                  "width": 500,
                  "height": 400,
                  "padding_left": 1,
                  "padding_top": 2,
                  "padding_right": 3,
                  "padding_bottom": 4,
                  "h_flip": true,
                  "v_flip": true,
                  "h_align": "left",
                  "v_align": "bottom",
                  "smart": true,
                  "filters": [
                    {
                      "name": "fill",
                      "args": "white"
                    },
                    {
                      "name": "format",
                      "args": "jpeg"
                    },
                    {
                      "name": "upscale"
                    }
                  ]
                }
                """)
    }

    /// The rest of a URL, and its members; others are left out.
    @Test(
        arguments: [
            ("unsafe/a.jpg", ["path": "a.jpg", "image": "a.jpg", "unsafe": "true"]),
            ("a.jpg", ["path": "a.jpg", "image": "a.jpg"]),
            (
                "adaptive-full-fit-in/3x4/a",
                [
                    "path": "adaptive-full-fit-in/3x4/a", "image": "a", "fit_in": "true",
                    "adaptive_fit_in": "true",
                    "full_fit_in": "true", "width": "3", "height": "4",
                ]
            ),
            (
                "unsafe/b64:aHR0cHM6Ly9hLmV4YW1wbGUvYg",
                [
                    "path": "b64:aHR0cHM6Ly9hLmV4YW1wbGUvYg", "image": "https://a.example/b",
                    "unsafe": "true",
                    "base64_image": "true",
                ]
            ),
            (
                "unsafe/center/a+b",
                ["path": "center/a+b", "image": "a b", "unsafe": "true", "h_align": "center"]
            ),
            ("unsafe/0x0/", ["path": "0x0/", "unsafe": "true"]),
        ] as [(String, [String: String])])
    func `what is not said has none`(path: String, members: [String: String]) throws {
        let object = try JSONSerialization.jsonObject(with: Data(json(path).utf8)) as? [String: Any] ?? [:]
        let found = object.mapValues {
            $0 is String ? "\($0)" : ($0 as? Bool == true && "\($0)" == "1" ? "true" : "\($0)")
        }
        #expect(found == members)
    }

    @Test func `filters stand as they were sent, nested ones within theirs`() throws {
        let text = try json("unsafe/filters:watermark(a/filters:fill(%3Cb%3E)/c,0,0):label(%22x%22):odd/i")
        #expect(text.contains("\"args\": \"a/filters:fill(%3Cb%3E)/c,0,0\""), "\(text)")
        #expect(text.contains("\"args\": \"%22x%22\"") && text.contains("\"image\": \"i\""), "\(text)")
        #expect(!text.contains("odd\","))
    }

    @Test func `other URLs ask for nothing of the kind`() {
        for path in ["unsafe/params/a", "param/a", "params", "paramsx/a", ""] {
            #expect(ImagorParameters(Array(path.utf8)[...], .imagor) == nil, "\(path)")
        }
    }
}
