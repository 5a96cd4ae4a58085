// SPDX-License-Identifier: Apache-2.0

/// An unsharp mask, as libvips' `sharpen` computes it.
package struct Sharpening: Sendable, Hashable {
    /// The sigma of the Gaussian in pixels, 0.0001…10. Nil = mild: a 3 × 3 kernel with 32 in the middle and
    /// −1 around it, divided by 24, which ignores the slopes.
    package var sigma: Double?
    /// The slope for flat areas (libvips' `m1`), 0…1,000,000.
    package var flat: Double
    /// The slope for jagged areas (libvips' `m2`), 0…1,000,000.
    package var jagged: Double

    /// The default is mild.
    package init(sigma: Double? = nil, flat: Double = 1, jagged: Double = 2) {
        self.sigma = sigma
        self.flat = flat
        self.jagged = jagged
    }
}
