// SPDX-License-Identifier: Apache-2.0

/// The quality of a lossy encoding.
package enum Quality: Sendable, Hashable {
    /// The encoder's own scale, 1…100.
    case number(Int)
    /// The smallest file with at least this SSIM to its pixels, 0.5…1; nil = the settings' target.
    case likeness(Double?)

    /// From this number on, the chroma of JPEG and AVIF has the density of luma; below, it has half of it on both axes.
    package static let fullChroma = 90
}
