// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("Pages and frames are taken where there are any")
struct RecipePageTests {
    private func header(_ format: ImageFormat, _ pages: Int) -> ImageHeader {
        ImageHeader(format: format, width: 10, height: 10, pages: pages)
    }

    @Test(
        arguments: [
            (.png, 1, 0, 0), (.png, 1, 1, nil), (.png, 1, 99, nil), (.tiff, 5, 0, 0), (.tiff, 5, 4, 4),
            (.tiff, 5, 5, nil), (.gif, 5, 4, 4), (.gif, 5, 5, nil), (.webp, 2, 1, 1), (.ico, 3, 2, 2),
            (.ico, 3, 3, nil),
            // Its pages may differ in size, so its decoder finds the largest.
            (.tiff, 5, -1, -1), (.tiff, 5, -2, -2), (.ico, 3, -1, -1),
            // A single page, and frames of one size, are both the largest and the smallest.
            (.png, 1, -1, 0), (.tiff, 1, -1, 0), (.tiff, 1, -2, 0), (.gif, 5, -1, 0), (.webp, 5, -2, 0),
            // Only its decoder can count the pages.
            (.pdf, 1, 0, 0), (.pdf, 1, 7, 7), (.pdf, 1, -1, -1), (.pdf, 1, 100_000, 100_000),
        ] as [(ImageFormat, Int, Int, Int?)])
    func `a page that is not there is none`(format: ImageFormat, pages: Int, page: Int, expected: Int?) {
        var recipe = Recipe()
        recipe.page = page
        #expect(recipe.pageTaken(from: header(format, pages)) == expected)
    }

    @Test(arguments: [
        (-1, 0, 9), (-1, 3, 6), (-1, 8, 1), (-1, 9, 1), (-1, 500, 1), (-1, -1, 9), (4, 0, 4), (4, 3, 4),
        (4, 6, 3),
        (1, 3, 1), (9, 0, 9), (10, 0, 9), (256, 1, 8),
    ])
    func `frames are taken from the page on, as far as they reach`(pages: Int, page: Int, expected: Int) {
        var recipe = Recipe()
        (recipe.pages, recipe.page) = (pages, page)
        #expect(recipe.framesTaken(from: header(.gif, 9)) == expected)
        #expect(recipe.framesTaken(from: header(.tiff, 9)) == 1)
        recipe.output = .format(.png)
        #expect(recipe.framesTaken(from: header(.gif, 9)) == 1)
    }

    @Test func `frames are lost where they are wanted and AVIF is named`() {
        for (pages, format, loses) in [
            (-1, ImageFormat.avif, true), (2, .avif, true), (1, .avif, false), (-1, .webp, false),
            (-1, .png, false),
        ] {
            var recipe = Recipe()
            recipe.pages = pages
            recipe.output = .format(format)
            #expect(recipe.losesFrames == loses, "\(pages) \(format)")
        }
        var recipe = Recipe()
        recipe.pages = -1
        #expect(!recipe.losesFrames)
    }
}
