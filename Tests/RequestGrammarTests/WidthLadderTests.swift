// SPDX-License-Identifier: Apache-2.0

import Recipes
import RequestGrammar
import Testing

@Suite("A ladder of widths leaves few sizes of a picture")
struct WidthLadderTests {
    private static let source = "url=https://a.example/1.jpg"
    private let vocabulary: Vocabulary

    init() throws {
        vocabulary = try Vocabulary(
            presets: ["thumb=w=200&h=150&fit=cover"], watermarks: [],
            ladder: WidthLadder([1280, 64, 320, 640, 320]))
    }

    private func native(_ options: String) throws -> String {
        try ImageRequest.parse(query: "\(Self.source)&\(options)", vocabulary: vocabulary).recipe.canonical
    }

    @Test func `what a query asks for gets the next step up`() throws {
        #expect(try native("w=300&h=200&fit=cover") == "fit=cover&h=213&w=320")
        #expect(try native("w=300&dpr=2") == "w=640")
    }

    @Test func `a preset's size stays as it is`() throws {
        #expect(try native("preset=thumb") == "fit=cover&h=150&w=200")
    }

    @Test func `a preset's size is the operator's, unless the query has a word in it`() throws {
        #expect(try native("preset=thumb&dpr=1.5") == native("w=320&h=240&fit=cover"))
        #expect(try native("preset=thumb&w=100") == native("w=100&h=150&fit=cover"))
        #expect(try native("preset=thumb&q=50").contains("w=200"))
    }
}
