// SPDX-License-Identifier: Apache-2.0

import CVips
import Dispatch
import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar

/// Renders pictures for the tests with `Engine`, one at a time, as a decoder process does.
enum TestRenderer {
    private static let turn = DispatchSemaphore(value: 1)

    private static let started: Void = {
        do { try Engine.start(reading: Set(ImageFormat.trusted + [.svg, .pdf, .ico, .bmp])) } catch {
            preconditionFailure("libvips cannot be started: \(error)")
        }
    }()

    /// Runs `work` with libvips started, while no other test uses it.
    static func withEngine<Value>(_ work: () throws -> Value) rethrows -> Value {
        turn.wait()
        defer { turn.signal() }
        _ = started
        return try work()
    }

    /// The engine made another picture than the recipe orders.
    struct UnexpectedResult: Error {
        let recipe: String
        let header: ImageHeader
        let result: Rendered
    }

    /// A rendered file: the engine's result, and the bytes.
    struct RenderedFile {
        var result: Rendered
        var bytes: [UInt8]

        var header: ImageHeader? { try? ImageHeader.parse(bytes) }
        var isPlanar: Bool { result.isPlanar }
        /// Of an animation, GIF or WebP.
        var timing: GIFFile.Timing {
            result.format == .gif ? GIFFile.timing(bytes) : WebPFile.timing(bytes)
        }
    }

    /// Renders `original` by `recipe`.
    static func render(
        _ original: [UInt8], _ recipe: Recipe = Recipe(), header: ImageHeader? = nil,
        defaults: EncoderDefaults = EncoderDefaults(), outputLimit: Int = 64 << 20,
        watermark: [UInt8]? = nil, damaged: DamagedPicture = .refuse, pixelLimit: Int = 1 << 28,
        jpegLane: Bool = true
    ) throws -> RenderedFile {
        let known = try header ?? ImageHeader.parse(original)
        return try withEngine { () throws -> RenderedFile in
            let (input, output) = (UnlinkedFile(original), UnlinkedFile([]))
            let mark = UnlinkedFile(watermark ?? [])
            var job = ImagingJob(
                original: .init(input: input.descriptor, length: original.count, header: known),
                watermark: try watermark.map {
                    .init(input: mark.descriptor, length: $0.count, header: try ImageHeader.parse($0))
                },
                recipe: recipe, defaults: defaults, output: output.descriptor, outputLimit: outputLimit,
                pixelLimit: pixelLimit, damaged: damaged)
            job.jpegLane = jpegLane
            let result = try Engine.render(job)
            // A result here must not look like the answer of a decoder under an attacker's control.
            guard recipe.mayBecome(result, of: known, within: pixelLimit),
                result.format.begins(Array(output.bytes.prefix(ImageFormat.longestBeginning)))
                    || recipe.output == .json
            else { throw UnexpectedResult(recipe: recipe.canonical, header: known, result: result) }
            return RenderedFile(result: result, bytes: output.bytes)
        }
    }

    /// The failure that rendering ends in; nil if it succeeds.
    static func failure(
        _ original: [UInt8], _ recipe: Recipe = Recipe(), header: ImageHeader? = nil,
        outputLimit: Int = 64 << 20
    ) throws -> ImagingFailure? {
        do {
            _ = try render(original, recipe, header: header, outputLimit: outputLimit)
            return nil
        } catch let failure as ImagingFailure {
            return failure
        }
    }

    /// Decodes a file to pixels, or one of its frames.
    static func decode(_ file: [UInt8], frame: Int = 0) throws -> Canvas? {
        let header = try ImageHeader.parse(file)
        let (input, output) = (UnlinkedFile(file), UnlinkedFile([]))
        var defaults = EncoderDefaults()
        defaults.pngCompression = 0
        defaults.keepsSmallerOriginal = false
        var recipe = Recipe()
        recipe.output = .format(.png)
        let job = ImagingJob(
            original: .init(input: input.descriptor, length: file.count, header: header), recipe: recipe,
            defaults: defaults, output: output.descriptor, outputLimit: 256 << 20, pixelLimit: .max,
            damaged: .refuse)
        return try withEngine { () throws -> Canvas? in
            if header.pages == 1 {
                _ = try Engine.render(job)
            } else {
                let source = try Source(job)
                let all = try source.load(header.format == .gif ? CVIPS_GIF : CVIPS_WEBP, pages: header.pages)
                let size = PixelSize(width: header.width, height: header.height)
                var rendering = try Rendering(job: job, source: source, wanted: 1)
                rendering.frames = Frames(try all.cropped(x: 0, y: frame * header.height, to: size))
                _ = try rendering.encode(rendering.joined(), start: .now)
            }
            return PNGFile.read(output.bytes)
        }
    }

    /// The likeness of two pictures of one size; 1 if they are equal.
    static func likeness(_ one: Canvas, _ other: Canvas) throws -> Double {
        try withEngine {
            var likeness = -1.0
            let pictures = try [one, other].map { canvas in
                try Picture(
                    cvips_from_memory(
                        canvas.samples, Int32(canvas.width), Int32(canvas.height), Int32(canvas.bands))
                ).inMemory()
            }
            guard cvips_likeness(pictures[0].image, pictures[1].image, &likeness) == 0 else {
                throw ImagingFailure.cannotWrite(Picture.error())
            }
            return likeness
        }
    }

    /// The share of pixels that equal their left neighbours; 0 if there are more colours.
    static func flatness(_ canvas: Canvas, mostColours: Int) throws -> Double {
        try withEngine {
            let picture = try Picture(
                cvips_from_memory(
                    canvas.samples, Int32(canvas.width), Int32(canvas.height), Int32(canvas.bands))
            ).inMemory()
            return cvips_flatness(picture.image, Int32(mostColours))
        }
    }

    /// Bytes of pixels that are still held after libvips' worker thread has had time to end.
    static func remainingPixelBytes() -> Int {
        withEngine {
            for _ in 0..<6_000 where Engine.pixelMemory > 0 { usleep(10_000) }
            return Engine.pixelMemory
        }
    }
}
