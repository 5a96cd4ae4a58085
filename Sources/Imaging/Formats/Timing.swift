// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// The delays and the loop count of an animation.
struct Timing: Equatable {
    /// The delay after each frame in milliseconds.
    var delays: [Int] = []
    /// How often the animation is played; 0 means for ever. GIF stores the number of repetitions instead,
    /// which libvips converts.
    var loop = 0

    /// The highest loop count of the format. GIF and WebP have 16 bits for it, and GIF stores one less.
    private static func mostLoops(in format: ImageFormat) -> Int { format == .gif ? 65_536 : 65_535 }
    /// The longest delay in GIF, in milliseconds. GIF stores hundredths of a second in 16 bits, and libvips
    /// would drop the higher bits.
    private static let longestInGIF = 655_350

    /// The timing of the frames that are taken from this animation. The recipe's delays and loop count take precedence; the
    /// last delay that the recipe names holds for all further frames.
    func taken(_ count: Int, by recipe: Recipe, for format: ImageFormat) -> Timing {
        let longest = format == .gif ? Self.longestInGIF : .max
        return Timing(
            delays: recipe.delays(of: count, from: delays).map { min($0, longest) },
            loop: min(recipe.loop ?? loop, Self.mostLoops(in: format)))
    }
}

extension Picture {
    /// The timing of an animation of `frames` frames.
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
