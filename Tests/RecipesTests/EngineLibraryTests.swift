// SPDX-License-Identifier: Apache-2.0

import Bytes
import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("A key names the libraries that take part in its rendition")
struct EngineLibraryTests {
    private static let library = """
        libvips 8.14.1, planar 1, heif 1.15.1, av1-out aom 3.6.0, av1-in dav1d 6.6.0, hevc-in libde265 1.0.11, \
        webp 1.2.4, jpeg 6b/1991-2023, png 10639, zlib 1.2.13, tiff 4.5.0, imagequant 21600, lcms 2140, \
        cairo 1.16.0, pixman 0.42.2, pango 1.50.12, harfbuzz 6.0.0, fontconfig 21401, orc 0.4.33, jxl 7000, \
        poppler 22.12.0, rsvg 2.54.7, freetype 2.12.1, cgif 0.3.0
        """
    private static let engine = EngineVersion(library: library)
    /// Libraries in every key.
    private static let common = ["libvips", "planar", "jpeg", "png", "zlib", "lcms", "orc"]
    private static let letters = ["cairo", "pixman", "pango", "harfbuzz", "fontconfig", "freetype"]

    /// The libraries, besides the common ones, in the key for a recipe and a format.
    private func others(_ recipe: String, of format: ImageFormat) throws -> Set<String> {
        let text = Self.engine.text(for: try Recipe(canonical: recipe), of: format)
        let names = Self.library.split(separator: ",").compactMap { $0.split(separator: " ").first }
        let told = names.filter { text.contains(" \($0) ") }.map(String.init)
        #expect(Set(told).isSuperset(of: Self.common), "\(text)")
        return Set(told).subtracting(Self.common)
    }

    @Test func `a key's text, byte by byte`() throws {
        let text = Self.engine.text(for: try Recipe(canonical: "output=jpeg&w=100"), of: .jpeg)
        let settings = String(Self.engine.text.dropFirst("30 \(Self.library) ".count))
        let libraries =
            "libvips 8.14.1, planar 1, jpeg 6b/1991-2023, png 10639, zlib 1.2.13, lcms 2140, orc 0.4.33"
        #expect(settings.hasPrefix("EncoderDefaults("))
        #expect(text == "30 \(libraries) \(settings)")
    }

    @Test func `encoders count where their format is written`() throws {
        #expect(try others("output=jpeg", of: .jpeg) == [])
        #expect(try others("output=avif", of: .jpeg) == ["heif", "av1-out"])
        #expect(try others("output=webp", of: .png) == ["webp"])
        #expect(try others("output=png", of: .jpeg) == ["imagequant"])
        #expect(try others("output=gif", of: .gif) == ["imagequant", "cgif"])
        #expect(try others("output=tiff", of: .jpeg) == ["tiff"])
        #expect(try others("output=jxl", of: .jpeg) == ["jxl"])
        #expect(try others("output=auto", of: .png) == ["heif", "av1-out", "webp"])
    }

    @Test func `decoders count where their format is read`() throws {
        let heif: Set = ["heif", "av1-in", "hevc-in"]
        #expect(try others("output=jpeg", of: .avif) == heif)
        #expect(try others("output=jpeg", of: .heic) == heif)
        #expect(try others("output=jpeg", of: .webp) == ["webp"])
        #expect(try others("output=jpeg", of: .tiff) == ["tiff", "webp"])
        #expect(try others("output=jpeg", of: .jxl) == ["jxl"])
        #expect(try others("json=average&output=json", of: .avif) == heif)
    }

    @Test func `what draws letters counts for a text, and every reader for a drawing`() throws {
        #expect(try others("output=jpeg&text=Hi", of: .jpeg) == Set(Self.letters))
        let readers: Set = ["heif", "av1-in", "hevc-in", "webp", "tiff", "jxl", "rsvg", "poppler"]
        for format in [ImageFormat.svg, .pdf] {
            #expect(try others("output=jpeg", of: format) == readers.union(Self.letters))
        }
    }

    @Test func `every reader counts for a watermark, which may be of any format`() throws {
        var recipe = try Recipe(canonical: "output=jpeg")
        recipe.watermark = Watermark(source: "logo")
        let text = Self.engine.text(for: recipe, of: .jpeg)
        for name in ["av1-in", "hevc-in", "webp", "tiff", "rsvg", "poppler"] + Self.letters {
            #expect(text.contains(" \(name) "), "\(name)")
        }
        #expect(!text.contains("av1-out"))
    }

    @Test func `a library that nobody knows is in every key, and so is all where no format is known`() throws
    {
        let engine = EngineVersion(library: "libvips 8.14.1, marvel 2, cgif 0.3.0")
        let text = engine.text(for: try Recipe(canonical: "output=jpeg"), of: .jpeg)
        #expect(text.hasPrefix("30 libvips 8.14.1, marvel 2 Enc"))
        #expect(engine.text(for: Recipe(), of: .jpeg) == engine.text)
    }

    @Test func `a recipe that was named before is named anew for another format`() throws {
        let digest = OriginalDigest(Digest(words: (1, 2, 3, 4)))
        let recipe = try Recipe(canonical: "output=jpeg&w=101")
        for format in [ImageFormat.jpeg, .avif, .jpeg] {
            let text = "\noutput=jpg&w=101\n\(Self.engine.text(for: recipe, of: format))"
            #expect(
                RenditionKey.material(original: digest, of: format, recipe: recipe, engine: Self.engine)
                    == digest.digest.bytes + Array(text.utf8))
        }
    }

    @Test func `another version of a library changes the keys of what it takes part in, and no others`()
        throws
    {
        let digest = OriginalDigest(Digest(words: (1, 2, 3, 4)))
        let newer = Self.engine.with(library: Self.library.replacing("aom 3.6.0", with: "aom 3.12.1"))
        func isKept(_ recipe: String) throws -> Bool {
            let recipe = try Recipe(canonical: recipe)
            let keys = [Self.engine, newer].map {
                RenditionKey.material(original: digest, of: .jpeg, recipe: recipe, engine: $0)
            }
            return keys[0] == keys[1]
        }
        #expect(try isKept("output=jpeg&w=100"))
        #expect(try isKept("output=webp&w=100"))
        #expect(try !isKept("output=avif&w=100"))
        #expect(try !isKept("output=auto&w=100"))
    }
}
