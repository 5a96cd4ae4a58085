// SPDX-License-Identifier: Apache-2.0

/// The quality of a lossy encoding.
package enum Quality: Sendable, Hashable {
    /// A number on the encoder's own scale, 1…100.
    case number(Int)
    /// The quality at which the file has about this likeness to its pixels: SSIMULACRA 2 divided by 100,
    /// 0.5…1; nil = the settings' target.
    case likeness(Double?)

    /// From this number on, the chroma of JPEG and AVIF has the density of luma; below, it has half of it on both axes.
    package static let fullChroma = 90
}
