// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Recipes
@testable import RequestGrammar
import Testing

@Suite("A reader that remembers lists of options") struct NativeReaderTests {
    private static let sources = [
        "url=a.com/1.jpg", "url=a.com%2F2.jpg", "url=", "url", "url=a.com/%zz", "url=http%3A%2F%2F[",
        "ur%6c=a.com/3.jpg",
        "url64=YS5jb20vNC5qcGc", "url=a.com/5.jpg&url=a.com/6.jpg", "", "xurl=a.com",
    ]
    private static let options = [
        "w=200", "h=50%25", "output=webp", "output=auto", "q=80", "q=0", "w=200&w=300", "fit=cover&a=top",
        "v=7", "maxage=60",
        "w=auto", "nonsense", "text=\(String(repeating: "a", count: 300))",
    ]

    /// The result of reading: the request, or the error.
    private func result(_ read: () throws(RequestError) -> ImageRequest) -> Result<ImageRequest, RequestError>
    {
        Result { () throws(RequestError) in try read() }
    }

    @Test func `reads each query as if it were the first`() throws {
        let vocabulary = Vocabulary.empty
        let reader = NativeReader(vocabulary)
        var random = SeededRandom(for: "lists of options with sources")
        for _ in 1...3_000 {
            var pieces = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
                Self.options.randomElement(using: &random)
            }
            pieces.insert(
                Self.sources.randomElement(using: &random) ?? "",
                at: Int.random(in: 0...pieces.count, using: &random))
            let query = Array(pieces.joined(separator: "&").utf8)
            var needs = ClientNeeds.none
            if Bool.random(using: &random) { needs.quarters = 8 }
            let told = result { () throws(RequestError) in try reader.read(query, needs) }
            let expected = result { () throws(RequestError) in
                try ImageRequest.parse(query: query, vocabulary: vocabulary, needs: needs)
            }
            #expect(told == expected, "\(String(decoding: query, as: UTF8.self))")
        }
    }

    @Test func `a request that is changed changes no other one of the same options`() throws {
        let reader = NativeReader(.empty)
        let first = try reader.read(Array("url=a.com/1.jpg&w=200&q=50".utf8), .none)
        var second = try reader.read(Array("url=a.com/2.jpg&w=200&q=50".utf8), .none)
        #expect(second.boxedRecipe === first.boxedRecipe)
        second.recipe.flip = true
        #expect(second.recipe != first.recipe)
        let third = try reader.read(Array("url=a.com/3.jpg&w=200&q=50".utf8), .none)
        #expect(!third.recipe.flip)
        #expect(third.recipe == first.recipe)
    }

    @Test func `holds no more values than two generations, and those that are in use`() {
        let values = RecentValues<Int, Int>(generation: 8)
        values.insert(0, for: 0)
        for number in 1...1_000 {
            values.insert(number, for: number)
            #expect(values[0] == 0)
            #expect(values[number] == number)
            #expect(values.count <= 16)
        }
        #expect(values[1] == nil)
    }
}
