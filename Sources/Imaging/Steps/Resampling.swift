// SPDX-License-Identifier: Apache-2.0
//
// One axis of a resize.
//
// A JPEG decoded at a part of its size ends in a fraction of a pixel that libvips leaves out: 2,725 pixels at a half
// are 1,362.5, of which 1,362 are there. Resizing those as if they were everything moves the picture by up to half
// a pixel, and so does libvips' habit of centring what its own rounding leaves over: more than the eye would notice
// of all that shrink-on-load does otherwise. So the scale is taken from the true extent, and the last pixels are
// repeated up to a length where the scaled length is whole and nothing is left to centre; the surplus is cut
// afterwards.

struct Resampling: Hashable {
    /// Pixels to give to the resampler.
    let padded: Int
    /// Pixels after over pixels before.
    let factor: Double

    /// `extent`: pixels before, with the fraction.
    init(from extent: Double, to target: Int) {
        factor = Double(target) / extent
        // A shift below a fiftieth of a pixel is a rounding error of the resampler itself.
        let candidates = (0...Self.mostSurplus).map { extent * (1 + Double($0) / Double(target)) }
        let best = candidates.first { abs($0 - $0.rounded()) < 0.02 } ?? extent
        padded = Int(best.rounded())
    }

    var isIdentity: Bool { factor == 1 }

    /// Pixels after, that are made only to be cut.
    private static let mostSurplus = 24
}
