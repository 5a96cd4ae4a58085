// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

/// Whether a wish for a gain map makes another rendition.
@Suite struct GainMapRecipeTests {
    private func keeps(_ options: String, _ header: ImageHeader) throws -> Bool {
        var recipe = try Recipe(canonical: options)
        recipe.keepsGainMap = true
        let kept = recipe.canonicalised.keeping(onlyWhatIsIn: header)
        var without = recipe
        without.keepsGainMap = false
        // A recipe that loses the map equals one that never asked for it.
        #expect(kept.keepsGainMap || kept == without.canonicalised.keeping(onlyWhatIsIn: header))
        return kept.keepsGainMap
    }

    private let jpeg = ImageHeader(format: .jpeg, width: 800, height: 600)

    @Test(arguments: [
        "", "w=100", "q=auto&w=100", "fit=cover&h=50&w=100", "ch=50&cw=50&w=100", "ro=90&w=100",
        "flip&flop&w=100",
        "il", "maxbytes=5000&w=99", "profile=p3", "output=jpg&w=100",
    ])
    func `what is moved and coded keeps it`(options: String) throws { #expect(try keeps(options, jpeg)) }

    @Test(arguments: [
        "blur=2", "bg=red&fit=contain&h=50&w=100", "a=entropy&fit=cover&h=50&w=100", "ca=attention&ch=5&cw=5",
        "ch=50&cw=50&precrop&w=20", "ro=20", "output=webp", "linear&w=100", "pad=3", "tint=red",
        "output=json",
    ])
    func `what makes other pixels loses it`(options: String) throws { #expect(try !keeps(options, jpeg)) }

    @Test(arguments: [ImageFormat.png, .webp, .avif, .heic])
    func `only a JPEG has one`(format: ImageFormat) throws {
        #expect(try !keeps("output=jpg&w=100", ImageHeader(format: format, width: 800, height: 600)))
    }
}
