// SPDX-License-Identifier: Apache-2.0
// A picture of few colours is often smaller, and exact, as lossless WebP than as lossy WebP or AVIF. Only its
// pixels tell, so the decoder decides; the recipe says whether the decoder may.

package import ImageHeaders

extension Recipe {
    /// True if lossless WebP is tried as well, and kept if it is smaller. The output must be resolved. Formats of
    /// photographs are excluded, because their noise survives every resize. Large results are excluded, because they
    /// would have to be held in memory.
    package func triesExact(_ header: ImageHeader) -> Bool {
        guard output == .auto || output == .format(.webp), !lossless,
            ![.jpeg, .avif, .heic].contains(header.format)
        else { return false }
        let canvas = Geometry.plan(upright: header.upright, recipe: self).padded
        // Cannot trap: sides have at most 31 bits.
        return canvas.width * canvas.height <= Self.mostPixelsExact / max(1, framesTaken(from: header))
    }

    /// The most pixels for which lossless WebP is tried: a screen of 3,840 × 2,160, and some more.
    private static let mostPixelsExact = 9_000_000

    /// The resolved recipe of a request with `output=auto` whose client accepts WebP: `.auto` in place of AVIF if
    /// the decoder may answer with lossless WebP. An explicitly requested AVIF has another key, because it stays
    /// AVIF.
    package func allowingExact(for header: ImageHeader) -> Recipe {
        guard output == .format(.avif) else { return self }
        var recipe = self
        recipe.output = .auto
        guard recipe.triesExact(header) else { return self }
        let plan = Geometry.plan(upright: header.upright, recipe: self)
        return plan.limitExceeded(writing: .webp) == nil ? recipe : self
    }

    /// True for a resolved recipe that makes an AVIF unless lossless WebP turns out to be smaller.
    package var mayBecomeAVIF: Bool { output == .format(.avif) || output == .auto }
}
