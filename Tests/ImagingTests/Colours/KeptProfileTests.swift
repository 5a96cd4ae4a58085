// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif]
private let (vivid, quiet): ([UInt8], [UInt8]) = ([230, 40, 30], [120, 110, 90])

/// Vivid at the left, quiet at the right.
private let canvas = Canvas(64, 32) { x, _ in x < 32 ? vivid : quiet }

private func png(_ canvas: Canvas, _ profile: [UInt8]) -> [UInt8] {
    PNGFile.write(
        width: canvas.width, height: canvas.height, depth: 8,
        colourType: [1: 0, 3: 2, 4: 6][canvas.bands] ?? 2, rows: canvas.samples,
        before: PNGFile.profile(profile))
}

private func recipe(_ format: ImageFormat, _ options: String = "", as profile: String = "keep") throws
    -> Recipe
{
    try Recipe(canonical: options + (options.isEmpty ? "" : "&") + "output=\(format.name)&profile=\(profile)")
}

extension ImageFormat {
    fileprivate var name: String { self == .jpeg ? "jpg" : "\(self)" }
}

/// The ICC profile as libvips reads it.
private func embedded(_ file: [UInt8]) throws -> [UInt8]? {
    let header = try ImageHeader.parse(file)
    let (input, output) = (UnlinkedFile(file), UnlinkedFile([]))
    let job = ImagingJob(
        original: .init(input: input.descriptor, length: file.count, header: header), recipe: Recipe(),
        defaults: EncoderDefaults(), output: output.descriptor, outputLimit: 1 << 20, pixelLimit: .max,
        damaged: .refuse)
    return try TestRenderer.withEngine {
        let source = try Source(job)
        return try source.load(#require(header.format.loader)).profile
    }
}

/// The samples themselves, whatever they mean.
private func numbers(_ file: [UInt8], x: Int = 8, y: Int = 16) throws -> [UInt8] {
    var defaults = EncoderDefaults()
    // The encoding that the tests' own reader supports.
    (defaults.pngCompression, defaults.keepsSmallerOriginal) = (0, false)
    return try #require(
        try PNGFile.read(TestRenderer.render(file, recipe(.png), defaults: defaults).bytes))[x, y]
}

/// A profile with padding up to this length.
private func long(_ profile: [UInt8], _ count: Int) -> [UInt8] {
    big32(count) + profile.dropFirst(4)
        + (0..<count - profile.count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
}

@Suite struct KeptProfileTests {
    @Test(arguments: formats)
    func `numbers and profile of the original are those of the result`(format: ImageFormat) throws {
        for profile in [MatrixProfile.adobeRGB, .proPhoto, .sRGB].map({ $0.file() }) {
            let made = try TestRenderer.render(png(canvas, profile), recipe(format, "q=100")).bytes
            #expect(try embedded(made) == profile)
            for (x, colour) in [(8, vivid), (52, quiet)] {
                let shown = try numbers(made, x: x)
                #expect(distance(shown, colour) <= (format == .png ? 0 : 3), "\(shown) for \(colour)")
            }
        }
        // A reader converts it by the profile.
        let made = try TestRenderer.render(
            png(canvas, MatrixProfile.adobeRGB.file()), recipe(format, "q=100")
        ).bytes
        let shown = try #require(try TestRenderer.decode(made))[8, 16]
        #expect(distance(shown, MatrixProfile.adobeRGB.inSRGB(vivid)) <= 4, "\(shown)")
    }

    @Test(arguments: formats, [true, false])
    func `each way of a JPEG keeps it`(format: ImageFormat, lane: Bool) throws {
        let scene = Canvas(128, 64) { x, _ in x < 64 ? vivid : quiet }
        let plain = try TestRenderer.render(PNGFile.write(scene), .make(.jpeg, q: 100)).bytes
        let profile = MatrixProfile.adobeRGB.file()
        let jpeg = JPEGFile.withProfile(profile, plain)
        for options in ["q=100&w=64", "cx=4&q=100&w=64", "q=100&sharp=2&w=64"] {
            let made = try TestRenderer.render(jpeg, recipe(format, options), jpegLane: lane)
            #expect(made.isPlanar == lane)
            #expect(try embedded(made.bytes) == profile)
            #expect(try distance(numbers(made.bytes), vivid) <= 4)
        }
        // Turned, the profile is still there.
        let turned = JPEGFile.withEXIF(EXIF.orientation(6), jpeg)
        let made = try TestRenderer.render(turned, recipe(format, "h=64&q=100"), jpegLane: lane)
        #expect(try embedded(made.bytes) == profile && made.header?.width == 32)
    }

    @Test(arguments: formats)
    func `long profiles go in parts, and longer ones not at all`(format: ImageFormat) throws {
        let short = long(MatrixProfile.adobeRGB.file(), FileNotes.longestProfile)
        let made = try TestRenderer.render(png(canvas, short), recipe(format)).bytes
        #expect(try embedded(made) == short)
        let original = png(canvas, long(MatrixProfile.adobeRGB.file(), FileNotes.longestProfile + 4))
        #expect(
            try TestRenderer.render(original, recipe(format)).bytes
                == TestRenderer.render(original, recipe(format, as: "p3")).bytes)
    }

    @Test func `what cannot be kept is made as Display P3 or sRGB`() throws {
        let grey = Canvas(32, 32) { x, _ in [UInt8(x * 8)] }
        var broken = MatrixProfile.displayP3.file()
        broken.replaceSubrange(128..., with: [UInt8](repeating: 0xEE, count: broken.count - 128))
        let inks = InkProfile(inks: [[55, -37, -50], [48, 74, -3], [89, -5, 93], [16, 0, 0]]).file()
        let originals = [
            PNGFile.write(canvas), png(grey, MatrixProfile.sRGB.file(space: "GRAY")), png(canvas, broken),
            JPEGFile.withProfile(inks, JPEGFile.flatCMYK(64, 32, [10, 200, 220, 255])),
            PNGFile.write(
                width: 64, height: 32, depth: 8, colourType: 2, rows: canvas.samples,
                before: PNGFile.chunk("cICP", [12, 13, 0, 1]) + PNGFile.profile(MatrixProfile.adobeRGB.file())
            ),
        ]
        for original in originals {
            for format in formats {
                let kept = try TestRenderer.render(original, recipe(format, "w=30")).bytes
                #expect(try kept == TestRenderer.render(original, recipe(format, "w=30", as: "p3")).bytes)
            }
        }
        let adobe = png(canvas, MatrixProfile.adobeRGB.file())
        for format in [ImageFormat.gif, .tiff] {
            let kept = try recipe(format, as: "srgb")
            #expect(try recipe(format).canonicalised == kept.canonicalised)
            var own = kept
            own.profile = .own
            #expect(try TestRenderer.render(adobe, own).bytes == TestRenderer.render(adobe, kept).bytes)
        }
    }

    /// lcms opens all of these, but could use only the last.
    @Test func `a profile that is not whole is not handed on`() throws {
        let profile = MatrixProfile.adobeRGB.file()
        func changed(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
            var changed = profile
            changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            return changed
        }
        let files = [
            Array(profile.prefix(profile.count / 2)), changed(big32(0), at: 128),
            changed(Array("link".utf8), at: 12), changed(Array("abst".utf8), at: 12),
            changed(Array("RGB ".utf8), at: 20), changed(big32(1 << 30), at: 0),
        ]
        #expect(ICCProfile.isWhole(profile))
        let scene = try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: 100)).bytes
        for file in files {
            #expect(!ICCProfile.isWhole(file))
            let original = JPEGFile.withProfile(file, scene)
            for options in ["w=30", "sharp=2&w=30"] {
                for format in formats {
                    let kept = try TestRenderer.render(original, recipe(format, options)).bytes
                    #expect(
                        try kept == TestRenderer.render(original, recipe(format, options, as: "p3")).bytes)
                }
            }
        }
    }

    @Test func `a profile's curves have as many entries as lcms reads`() {
        func isWhole(entries count: Int) -> Bool {
            var profile = MatrixProfile.adobeRGB
            let entries = (0..<count).flatMap { big16($0 * 65_535 / (count - 1)) }
            profile.curve = Array("curv".utf8) + [0, 0, 0, 0] + big32(count) + entries
            return ICCProfile.isWhole(profile.file())
        }
        for count in [2, 4_096, 4_097, 32_767] { #expect(isWhole(entries: count), "\(count)") }
        for count in [32_768, 65_530] { #expect(!isWhole(entries: count), "\(count)") }
    }

    @Test(arguments: [
        "bg=ff0000", "mask=circle&mbg=ff0000", "fit=contain&h=60&w=60&cbg=0000ff", "ro=30&rbg=808080",
        "pad=3&pbg=ff0000", "tint=red", "filt=duotone", "wm=logo", "tbg=red&trim=10",
        "tcol=ff0000&text=A",
    ])
    func `colours of sRGB have Display P3 as their profile`(options: String) throws {
        let kept = try Recipe(canonical: options + "&output=png&profile=keep").canonicalised
        #expect(try kept == Recipe(canonical: options + "&output=png&profile=p3").canonicalised)
        #expect(kept.profile == .displayP3)
        for options in ["bg=ffffff", "text=A", "tcol=000000&text=A"] {
            let plain = try Recipe(canonical: options + "&output=png&profile=keep").canonicalised
            #expect(plain.profile == .own, "\(options)")
        }
    }

    @Test func `alpha, animations and files without loss have it too`() throws {
        let profile = MatrixProfile.adobeRGB.file()
        let clear = png(Canvas(32, 32, of: vivid + [160]), profile)
        for (format, options) in [
            (ImageFormat.png, ""), (.webp, "q=100"), (.avif, "q=100"), (.webp, "ll"), (.avif, "ll"),
        ] {
            let made = try TestRenderer.render(clear, recipe(format, options))
            #expect(made.header?.hasAlpha == true)
            #expect(try embedded(made.bytes) == profile, "\(format) \(options)")
            #expect(try distance(numbers(made.bytes), vivid + [160]) <= (options == "ll" ? 1 : 4))
        }
        let frames = (0..<3).map { frame -> [UInt8] in
            (0..<64 * 32).map { ($0 / 8 + frame).isMultiple(of: 2) ? 0 : 1 }
        }
        let gif = GIFFile.write(
            width: 64, height: 32, palette: [vivid, quiet], frames: frames, delays: [40, 50, 60], loop: 0,
            transparent: nil)
        let plain = try TestRenderer.render(gif, .make(.webp, n: -1, q: 90)).bytes
        let animation = try #require(
            FileNotes(profile: .own(profile)).added(
                to: plain, .webp, PixelSize(width: 64, height: 32), hasAlpha: false))
        let made = try TestRenderer.render(animation, recipe(.webp, "n=-1&w=32"))
        #expect(made.header?.pages == 3 && made.header?.width == 32)
        #expect(try embedded(made.bytes) == profile)
    }

    @Test func `the original's own bytes get their profile back`() throws {
        let profile = MatrixProfile.adobeRGB.file()
        for format in [ImageFormat.jpeg, .webp] {
            let small = try TestRenderer.render(PNGFile.write(canvas), .make(format, q: 5)).bytes
            let original = try #require(
                FileNotes(profile: .own(profile)).added(
                    to: small, format, PixelSize(width: 64, height: 32), hasAlpha: false))
            let made = try TestRenderer.render(original, recipe(format, "q=100")).bytes
            #expect(made.count == original.count)
            #expect(try embedded(made) == profile)
        }
    }

    @Test func `grey is written as its profile's grey`() throws {
        let profile = MatrixProfile.adobeRGB.file()
        for format in formats {
            let made = try TestRenderer.render(png(canvas, profile), recipe(format, "filt=greyscale")).bytes
            #expect(try embedded(made) == profile)
            let shown = try numbers(made)
            #expect(shown.count == 3 && Set(shown).count == 1, "\(format): \(shown)")
            let wide = try TestRenderer.render(
                png(canvas, profile), recipe(format, "filt=greyscale", as: "p3")
            ).bytes
            #expect(try embedded(wide) == nil)
        }
    }
}
