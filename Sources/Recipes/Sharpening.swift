// SPDX-License-Identifier: Apache-2.0

/// An unsharp mask, as libvips' `sharpen` computes it.
package struct Sharpening: Sendable, Hashable {
    /// Sigma of the Gaussian in pixels, 0.0001…10; nil = mild: a 3 × 3 kernel with 32 in the middle and −1
    /// around it, over 24, which ignores the slopes.
    package var sigma: Double?
    /// Slope for flat areas (libvips' `m1`), 0…1,000,000.
    package var flat: Double
    /// Slope for jagged areas (libvips' `m2`), 0…1,000,000.
    package var jagged: Double

    /// By default mild.
    package init(sigma: Double? = nil, flat: Double = 1, jagged: Double = 2) {
        self.sigma = sigma
        self.flat = flat
        self.jagged = jagged
    }
}
