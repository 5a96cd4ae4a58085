// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// A file that exists before the encoder starts, which can stop once its own file is larger.
    struct AlternativeFile {
        /// One behind the other.
        let parts: [Part]
        let format: ImageFormat
        /// Bytes.
        let length: Int

        enum Part {
            case bytes([UInt8])
            /// Of the original's file, where they stay: a copy of all of it may be larger than the pixels.
            case original(Range<Int>)
        }

        init(_ file: [UInt8], _ format: ImageFormat) {
            parts = [.bytes(file)]
            (self.format, length) = (format, file.count)
        }

        /// - Parameter kept: of the original's file.
        init(keeping kept: [Range<Int>], _ format: ImageFormat) {
            parts = kept.map { .original($0) }
            (self.format, length) = (format, kept.reduce(0) { $0 + $1.count })
        }
    }

    /// The original's own bytes or a lossless WebP, whichever is smaller; nil if neither is possible.
    /// - Parameter pixels: the picture, in memory if the recipe `triesExact`.
    func spare(for pixels: Picture, by encoding: Encoding) throws(ImagingFailure) -> AlternativeFile? {
        let own = ownFile.flatMap { $0.length <= job.outputLimit ? $0 : nil }
        guard job.recipe.triesExact(job.header), pixels.flatness >= Self.flatEnough else { return own }
        let file = Sink(inMemory: min(own?.length ?? job.outputLimit, job.outputLimit))
        do throws(ImagingFailure) {
            _ = try encoding.exact.write(pixels, to: file)
        } catch {
            // The lossless file exceeds a limit, in bytes or in a side. The encoder of the wanted format
            // reports that itself.
            return own
        }
        return AlternativeFile(Array(file.bytes), .webp)
    }

    /// A lossless file is tried if at least this share of the pixels equal their left neighbours and there are few colours.
    /// Wherever a lossless file was the smallest (`Benchmarks/encoders.md`), the share was at least 0.77, with at most 1,172
    /// colours.
    private static let flatEnough = 0.75
    fileprivate static let mostColours = 2_048
}

extension Picture {
    /// The share of pixels that equal their left neighbours; 0 if there are more than `mostColours` colours.
    /// The picture must be in memory.
    fileprivate var flatness: Double { cvips_flatness(image, Int32(Rendering.mostColours)) }
}
