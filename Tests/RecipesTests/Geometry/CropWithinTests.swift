// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("A crop that counts within the picture")
struct CropWithinTests {
    private let header = ImageHeader(format: .jpeg, width: 400, height: 300)

    /// Options, and the options that they become for the picture.
    @Test(arguments: [
        // A rectangle beside or below the picture, in the original and in the result.
        ("cx=400&cw=100&ch=100", ""), ("cy=300&cw=100", ""), ("cx=10&cy=900&cw=10&ch=10", ""),
        ("cx=500&cw=100&ch=100&precrop&w=40&h=40&fit=cover", "fit=cover&h=40&w=40"),
        ("cx=40&cw=10&w=40", "w=40"), ("cx=90&cw=10&w=40&h=90&fit=cover", "fit=cover&h=90&w=40"),
        ("cx=400&cw=9&ca=top-right", ""),
        ("cx=10&cy=160&cw=10&ch=10&fit=contain&h=200&w=200", "fit=contain&h=200&w=200"),
        // A rectangle within the picture, and one that exceeds its edge.
        ("cx=399&cw=100&ch=100", "ch=100&cw=100&cx=399"), ("cx=39&cw=10&w=40", "cw=10&cx=39&w=40"),
        ("cx=350&cw=100&precrop&w=40", "cw=100&cx=350&precrop=1&w=40"),
        ("cx=99%25&cw=50%25", "cw=50%25&cx=99%25"),
        // A length from the far side ends at the edge.
        ("cx=350&cw=100&ca=top-right", "ca=top-right&cw=50&cx=350"),
        ("cx=300&cw=100&ca=top-right", "ca=top-right&cw=100&cx=300"),
        ("cy=75%25&ch=50%25&ca=bottom-left", "ca=bottom-left&ch=75&cy=75%25"),
        // Nothing is cut, or only the pixels tell.
        ("w=40", "w=40"), ("trim&cx=500&cw=100", "cw=100&cx=500&trim=10"),
    ])
    func `cuts nothing beyond it, and ends at its edges`(options: String, expected: String) throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&\(options)").recipe
        let within = recipe.croppingWithin(header)
        #expect(within.canonical == expected)
        #expect(within.canonicalised == within)
    }

    @Test func `is as it is where nobody knows the picture's size`() throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&cx=500&cw=100&ch=100").recipe
        #expect(recipe.croppingWithin(ImageHeader(format: .pdf, width: 0, height: 0)) == recipe)
        let later = try ImageRequest.parse(query: "url=a.com&cx=500&cw=100&page=1").recipe
        #expect(later.croppingWithin(ImageHeader(format: .tiff, width: 400, height: 300, pages: 2)) == later)
        var turned = ImageHeader(format: .jpeg, width: 300, height: 600)
        turned.orientation = 6
        #expect(recipe.croppingWithin(turned) == recipe)
        turned.orientation = 1
        #expect(recipe.croppingWithin(turned).crop == nil)
    }
}
