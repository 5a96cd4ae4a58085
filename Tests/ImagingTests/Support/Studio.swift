// SPDX-License-Identifier: Apache-2.0

import CVips
import Dispatch
import Foundation
import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar

/// Where the tests have their pictures made: one at a time, as in a decoder process.
enum Studio {
    private static let dialect = DispatchSemaphore(value: 1)

    private static let started: Void = {
        do { try Engine.start(reading: Set(ImageFormat.trusted + [.svg, .pdf, .ico, .bmp])) } catch {
            preconditionFailure("libvips cannot be started: \(error)")
        }
    }()

    /// Runs `work` alone, with libvips started.
    static func alone<Value>(_ work: () throws -> Value) rethrows -> Value {
        dialect.wait()
        defer { dialect.signal() }
        _ = started
        return try work()
    }

    struct NotAsOrdered: Error {
        let recipe: String
        let header: ImageHeader
        let result: Rendered
    }

    /// What came out, and the bytes.
    struct Print {
        var result: Rendered
        var bytes: [UInt8]

        var header: ImageHeader? { try? ImageHeader.parse(bytes) }
        var isPlanar: Bool { result.isPlanar }
    }

    static func make(
        _ original: [UInt8], _ recipe: Recipe = Recipe(), header: ImageHeader? = nil,
        defaults: EncoderDefaults = EncoderDefaults(), outputLimit: Int = 64 << 20,
        watermark: [UInt8]? = nil, damaged: DamagedPicture = .refuse, pixelLimit: Int = 1 << 28,
        jpegLane: Bool = true
    ) throws -> Print {
        let known = try header ?? ImageHeader.parse(original)
        return try alone { () throws -> Print in
            let (input, output) = (Scratch(original), Scratch([]))
            let mark = Scratch(watermark ?? [])
            var job = ImagingJob(
                original: .init(input: input.descriptor, length: original.count, header: known),
                watermark: try watermark.map {
                    .init(input: mark.descriptor, length: $0.count, header: try ImageHeader.parse($0))
                },
                recipe: recipe, defaults: defaults, output: output.descriptor, outputLimit: outputLimit,
                pixelLimit: pixelLimit, damaged: damaged)
            job.jpegLane = jpegLane
            let result = try Engine.render(job)
            // Whatever is made here must not be taken for the answer of a decoder that was taken over.
            guard recipe.mayBecome(result, of: known, within: pixelLimit),
                result.format.begins(Array(output.bytes.prefix(ImageFormat.longestBeginning)))
                    || recipe.output == .json
            else { throw NotAsOrdered(recipe: recipe.canonical, header: known, result: result) }
            return Print(result: result, bytes: output.bytes)
        }
    }

    /// The failure that making the picture ends in; nil if it was made.
    static func failure(
        _ original: [UInt8], _ recipe: Recipe = Recipe(), header: ImageHeader? = nil,
        outputLimit: Int = 64 << 20
    ) throws -> ImagingFailure? {
        do {
            _ = try make(original, recipe, header: header, outputLimit: outputLimit)
            return nil
        } catch let failure as ImagingFailure {
            return failure
        }
    }

    /// A file's pixels, or those of one of its frames.
    static func develop(_ file: [UInt8], frame: Int = 0) throws -> Canvas? {
        let header = try ImageHeader.parse(file)
        let (input, output) = (Scratch(file), Scratch([]))
        var defaults = EncoderDefaults()
        defaults.pngCompression = 0
        defaults.keepsSmallerOriginal = false
        var recipe = Recipe()
        recipe.output = .format(.png)
        let job = ImagingJob(
            original: .init(input: input.descriptor, length: file.count, header: header), recipe: recipe,
            defaults: defaults, output: output.descriptor, outputLimit: 256 << 20, pixelLimit: .max,
            damaged: .refuse)
        return try alone { () throws -> Canvas? in
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

    /// How like two pictures of one size look: 1 where they are equal.
    static func likeness(_ one: Canvas, _ other: Canvas) throws -> Double {
        try alone {
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

    /// Bytes of pixels that are still held once libvips' worker thread has had time to end.
    static func pixelsLeft() -> Int {
        alone {
            for _ in 0..<500 where Engine.pixelMemory > 0 { usleep(10_000) }
            return Engine.pixelMemory
        }
    }
}

/// A nameless file.
final class Scratch {
    let descriptor: Int32

    init(_ bytes: [UInt8]) {
        let folder = FileManager.default.temporaryDirectory
        var name = Array(folder.appending(path: "imaging-test-XXXXXX").path.utf8CString)
        descriptor = mkstemp(&name)
        unlink(name)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { close(descriptor) }

    var bytes: [UInt8] {
        let length = Int(lseek(descriptor, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, length, 0))
        }
    }
}

extension Recipe {
    /// Spelt in one line.
    static func make(
        _ output: ImageFormat, w: Int? = nil, h: Int? = nil, _ fit: Fit = .inside,
        _ alignment: Alignment = .center, enlarging: Bool = false, n: Int = 1, q: Int? = nil
    ) -> Recipe {
        var recipe = Recipe()
        recipe.output = .format(output)
        recipe.width = w.map(Length.pixels)
        recipe.height = h.map(Length.pixels)
        recipe.fit = fit
        recipe.alignment = alignment
        recipe.withoutEnlargement = !enlarging
        recipe.pages = n
        recipe.quality = q.map(Quality.number)
        return recipe
    }
}
