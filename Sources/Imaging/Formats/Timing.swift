// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// How an animation runs.
struct Timing: Equatable {
    /// Milliseconds for each frame.
    var delays: [Int] = []
    /// How often it is played; 0 for ever. GIF counts the repetitions instead, which libvips knows.
    var loop = 0

    /// GIF and WebP hold 16 bits of it.
    private static let mostLoops = 65_535
    /// Milliseconds: GIF has 16 bits for hundredths of a second, of which libvips would write the lowest.
    private static let longestInGIF = 655_350

    /// The timing of the frames taken from this animation, in the recipe's words where it has some: the last delay it names
    /// holds for the frames after it.
    func taken(_ count: Int, by recipe: Recipe, for format: ImageFormat) -> Timing {
        let longest = format == .gif ? Self.longestInGIF : .max
        return Timing(
            delays: recipe.delays(of: count, from: delays).map { min($0, longest) },
            loop: min(recipe.loop ?? loop, Self.mostLoops))
    }
}

extension Picture {
    /// The timing of an animation of so many frames.
    func timing(frames: Int) -> Timing {
        var (delays, loop) = ([Int32](repeating: 0, count: frames), Int32(0))
        let known = cvips_timing(image, &delays, Int32(frames), &loop)
        return Timing(delays: delays.prefix(Int(known)).map(Int.init), loop: max(0, Int(loop)))
    }

    func timed(_ timing: Timing) throws(ImagingFailure) -> Picture {
        let delays = timing.delays.map { Int32(clamping: $0) }
        return try Picture(
            delays.withUnsafeBufferPointer {
                cvips_set_timing(image, $0.baseAddress, Int32($0.count), Int32(timing.loop))
            })
    }
}
