// SPDX-License-Identifier: Apache-2.0
//
// The resampling of one axis of a picture.
//
// A JPEG decoded at a fraction of its size ends in a fraction of a pixel, which libvips drops: 2,725 pixels at a
// half are 1,362.5, of which 1,362 exist. Resizing those as if they were the whole would move the picture by up to
// half a pixel. libvips also centres what its own rounding leaves over, which moves the picture as much. Both would
// be more visible than all other effects of shrink-on-load. So the factor is computed from the true extent, and the
// last pixels are repeated up to a length whose scaled length is whole, so that nothing is left to centre. The
// surplus is cut afterwards.

struct Resampling: Hashable {
    /// The length in pixels that the resampler gets.
    let padded: Int
    /// The number of pixels after the resize over the number before.
    let factor: Double

    /// - Parameter extent: the number of pixels before the resize, with its fraction.
    init(from extent: Double, to target: Int) {
        factor = Double(target) / extent
        let candidates = (0...Self.mostSurplus).map { extent * (1 + Double($0) / Double(target)) }
        // A fiftieth of a pixel is within the resampler's own rounding error.
        let good = candidates.first { Self.remainder($0) < 0.02 }
        let best = good ?? candidates.min { Self.remainder($0) < Self.remainder($1) } ?? extent
        padded = Int(best.rounded())
    }

    var isIdentity: Bool { factor == 1 }

    private static func remainder(_ length: Double) -> Double { abs(length - length.rounded()) }

    /// The most pixels that are computed only to be cut.
    private static let mostSurplus = 24
}
