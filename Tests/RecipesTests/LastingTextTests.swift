// SPDX-License-Identifier: Apache-2.0

import Bytes
import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("What stands in caches and in ETags stays as it is, whatever becomes of the names in the source")
struct LastingTextTests {
    private static let engine = EngineVersion(library: "libvips 8.14.1")

    private static let text =
        "30 libvips 8.14.1 EncoderDefaults(jpegQuality: 80, webpQuality: 80, avifQuality: 65, jxlQuality: 80, "
        + "targetLikeness: 0.75, keepsSmallerOriginal: true, jpegOptimised: true, webpEffort: 2, "
        + "webpAlphaQuality: 100, avifEffort: 1, jxlEffort: 5, pngCompression: 4, gifEffort: 4) refuse"

    @Test func `the engine's text`() {
        #expect(Self.engine.text == Self.text)
    }

    @Test func `the engine's text with other settings`() {
        var encoders = EncoderDefaults()
        encoders.jpegQuality = 71
        encoders.targetLikeness = 0.9995
        encoders.keepsSmallerOriginal = false
        let engine = EngineVersion(library: "libvips 8.16.0", encoders: encoders, damaged: .show)
        #expect(
            engine.text == "30 libvips 8.16.0 EncoderDefaults(jpegQuality: 71, webpQuality: 80, "
                + "avifQuality: 65, jxlQuality: 80, targetLikeness: 0.9995, keepsSmallerOriginal: false, "
                + "jpegOptimised: true, webpEffort: 2, webpAlphaQuality: 100, avifEffort: 1, jxlEffort: 5, "
                + "pngCompression: 4, gifEffort: 4) show")
    }

    @Test func `the engine with another library has the same settings`() {
        var encoders = EncoderDefaults()
        encoders.jpegQuality = 71
        let engine = EngineVersion(library: "libvips 8.14.1", encoders: encoders, damaged: .show)
        #expect(
            engine.with(library: "libvips 8.16.0")
                == EngineVersion(library: "libvips 8.16.0", encoders: encoders, damaged: .show))
        #expect(engine.with(library: "libvips 8.14.1") == engine)
    }

    @Test func `each setting of the encoders is in the engine's text`() {
        let changes: [(inout EncoderDefaults) -> Void] = [
            { $0.jpegQuality += 1 }, { $0.webpQuality += 1 }, { $0.avifQuality += 1 },
            { $0.jxlQuality += 1 }, { $0.targetLikeness += 0.001 }, { $0.keepsSmallerOriginal.toggle() },
            { $0.jpegOptimised.toggle() }, { $0.webpEffort += 1 }, { $0.webpAlphaQuality -= 1 },
            { $0.avifEffort += 1 }, { $0.jxlEffort += 1 }, { $0.pngCompression += 1 }, { $0.gifEffort += 1 },
        ]
        #expect(
            changes.count == Mirror(reflecting: EncoderDefaults()).children.count,
            "a field that is missing in the text lets renditions of two settings share a key")
        let texts = changes.map { change in
            var encoders = EncoderDefaults()
            change(&encoders)
            return EngineVersion(library: "libvips 8.14.1", encoders: encoders).text
        }
        #expect(Set(texts + [Self.text]).count == changes.count + 1)
    }

    @Test func `what is hashed to a rendition's key`() throws {
        let digest = OriginalDigest(Digest(words: (1, 2, 3, .max)))
        let recipe = try Recipe(canonical: "output=webp&w=100")
        let material = RenditionKey.material(
            original: digest, of: .jpeg, recipe: recipe, engine: Self.engine)
        #expect(material == digest.digest.bytes + Array("\noutput=webp&w=100\n\(Self.text)".utf8))
    }

    @Test func `the words of recipes`() {
        #expect(
            Recipe.Fit.allCases.map(\.rawValue) == ["inside", "outside", "cover", "fill", "contain", "auto"])
        #expect(
            Recipe.Alignment.allCases.map(\.rawValue) == [
                "center", "top", "right", "bottom", "left", "top-left", "top-right", "bottom-left",
                "bottom-right", "focal", "entropy", "attention",
            ])
        #expect(
            Mask.Shape.allCases.map(\.rawValue) == [
                "circle", "ellipse", "triangle", "triangle-180", "pentagon", "pentagon-180", "hexagon",
                "square", "star", "heart",
            ])
    }

    @Test func `a rendition's tag is the first half of its key`() throws {
        let key = RenditionKey(Digest(words: (0x0123_4567_89AB_CDEF, 1, .max, .max)))
        #expect(key.entityTag == "\"0123456789abcdef0000000000000001\"")
    }
}
