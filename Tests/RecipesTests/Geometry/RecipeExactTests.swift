// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite struct RecipeExactTests {
    private func header(_ format: ImageFormat, width: Int = 10, pages: Int = 1) -> ImageHeader {
        ImageHeader(format: format, width: width, height: 10, pages: pages)
    }

    private func rendered(_ format: ImageFormat) -> Rendered {
        Rendered(format: format, width: 10, height: 10, pages: 1, length: 9, decoding: 1, encoding: 1)
    }

    @Test func `AVIF that is ours to choose may become WebP, and has a key of its own`() throws {
        let named = try Recipe(canonical: "output=avif&q=45")
        let open = named.allowingExact(for: header(.png))
        #expect(open.canonical == "output=auto&q=45")
        #expect(open.resolvedOutput(for: header(.png)) == .avif)
        for (format, may) in [(ImageFormat.avif, true), (.webp, true), (.png, false)] {
            #expect(open.mayBecome(rendered(format), of: header(.png), within: 1_000) == may)
        }
        #expect(!named.mayBecome(rendered(.webp), of: header(.png), within: 1_000))
    }

    @Test(arguments: [ImageFormat.jpeg, .avif, .heic])
    func `a photograph's formats are left alone`(format: ImageFormat) throws {
        let named = try Recipe(canonical: "output=avif")
        #expect(named.allowingExact(for: header(format)) == named)
        #expect(try !Recipe(canonical: "output=webp").triesExact(header(format)))
    }

    @Test func `what WebP cannot hold, what is large and what is lossless anyway are left alone`() throws {
        let named = try Recipe(canonical: "output=avif")
        #expect(named.allowingExact(for: header(.png, width: 16_384)) == named)
        let lossless = try Recipe(canonical: "ll=1&output=avif")
        #expect(lossless.allowingExact(for: header(.png)) == lossless)
        // Large results, counting all frames together.
        #expect(try Recipe(canonical: "n=-1&output=webp").triesExact(header(.gif, pages: 3)))
        #expect(try !Recipe(canonical: "n=-1&output=webp").triesExact(header(.gif, width: 1_000, pages: 901)))
        #expect(try Recipe(canonical: "output=webp").triesExact(header(.gif, pages: 3)))
    }
}
