// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Foundation
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// A rendering for inspection: upright, sRGB, and of a small size that has the same averages and low frequencies as
    /// the whole.
    static func inspecting(_ job: ImagingJob, _ source: Source) throws(ImagingFailure) -> Rendering {
        var job = job
        var recipe = Recipe()
        recipe.output = .format(.png)
        recipe.page = job.recipe.page
        recipe.width = .pixels(ThumbHash.longestSide)
        recipe.height = .pixels(ThumbHash.longestSide)
        job.recipe = recipe
        return try Rendering(job: job, source: source, wanted: 1)
    }

    /// Writes, in place of a picture, the facts about its pixels that the recipe asks for:
    /// `{"average":"#c08040","thumbhash":"1QcSHQRnh493V4dIh4eXh1h4kJUI"}`, names sorted. `average` has eight digits
    /// if there is alpha; the ThumbHash is base64 (RFC 4648 §4).
    mutating func inspect(for extras: JSONExtras) throws(ImagingFailure) -> Rendered {
        let start = ContinuousClock.now
        try load()
        try reshape()
        let size = picture.size
        let pixels = try picture.rgba()
        var fields: [String] = []
        if extras.contains(.average) {
            fields.append("\"average\":\"\(AverageColour(of: pixels).hexadecimal)\"")
        }
        if extras.contains(.blurhash) {
            let hash = BlurHash.make(width: size.width, height: size.height, rgba: pixels)
            fields.append("\"blurhash\":\"\(hash)\"")
        }
        if extras.contains(.dominant) { fields.append("\"dominant\":\"\(DominantColour.of(pixels))\"") }
        if extras.contains(.thumbhash) {
            let hash = ThumbHash.make(width: size.width, height: size.height, rgba: pixels)
            fields.append("\"thumbhash\":\"\(Data(hash).base64EncodedString())\"")
        }
        let output = Sink(descriptor: job.output, limit: job.outputLimit)
        let text = Array("{\(fields.joined(separator: ","))}".utf8)
        let length = try sent(output, output.write(text))
        // The header of a document, and of a drawing without a size, tells 0 by 0, and no answer has such sides.
        let told = job.header.width > 0 ? job.header.upright : size
        return Rendered(
            format: job.header.format, width: told.width, height: told.height, pages: job.header.pages,
            length: length, decoding: (ContinuousClock.now - start).microseconds, encoding: 0)
    }
}

extension Picture {
    /// Four samples a pixel, rows from the top.
    func rgba() throws(ImagingFailure) -> [UInt8] {
        let made = try inMemory()
        let bands = Int(facts.bands)
        var length = 0
        guard let bytes = cvips_samples(made.image, &length) else { throw Picture.failure() }
        let samples = UnsafeRawBufferPointer(start: bytes, count: length)
        var rgba: [UInt8] = []
        rgba.reserveCapacity(length / bands * 4)
        for start in stride(from: 0, to: length, by: bands) {
            let pixel = samples[start..<start + bands]
            let colours = bands < 3 ? Array(repeating: samples[start], count: 3) : Array(pixel.prefix(3))
            rgba += colours + [bands % 2 == 0 ? samples[start + bands - 1] : 255]
        }
        return rgba
    }
}
