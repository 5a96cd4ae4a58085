// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// A rendition to make.
package struct RenderJob<Body: Sendable>: Sendable {
    /// A picture with its fetched bytes.
    package struct Picture: Sendable {
        /// The digest of the body.
        package var digest: OriginalDigest
        /// The header of the body.
        package var header: ImageHeader
        /// The bytes.
        package var body: Body
    }

    /// The key of the rendition to make.
    package var key: RenditionKey
    /// The engine settings to make the rendition with; part of the key.
    package var engine: EngineVersion
    /// The picture to make it of.
    package var original: Picture
    /// The recipe, canonical and resolved for the original. Its `output` is `.auto` where lossless WebP may replace AVIF.
    package var recipe: Recipe
    /// The watermark, which the recipe names by its digest; nil without one.
    package var watermark: Picture?
    /// The job's price in bytes at its admission, see `JobPrice`.
    package var price: Int
    /// The rendition's pixels at its admission; nil if the original's header tells the shape, and with it the pixels.
    package var pixels: Int?
    /// How long it may take.
    package var timeout: Duration
    /// The class of its work.
    package var priority: Priority

    /// Without a watermark by default.
    package init(
        key: RenditionKey, engine: EngineVersion, original: Picture, recipe: Recipe,
        watermark: Picture? = nil, price: Int, pixels: Int? = nil, timeout: Duration, priority: Priority
    ) {
        self.key = key
        self.engine = engine
        self.original = original
        self.recipe = recipe
        self.watermark = watermark
        self.price = price
        self.pixels = pixels
        self.timeout = timeout
        self.priority = priority
    }

    /// The original's digest.
    package var digest: OriginalDigest { original.digest }
    /// The original's header.
    package var header: ImageHeader { original.header }
    /// The original's bytes.
    package var body: Body { original.body }
}

/// Durations of a rendering, in microseconds.
package struct RenderTiming: Sendable, Hashable {
    /// Waiting inside the decoder pool.
    package var queued: Int
    /// Decoding, resizing and effects.
    package var decoding: Int
    /// Encoding.
    package var encoding: Int
    /// True if a JPEG was decoded and resized plane by plane, without libvips.
    package var isPlanar: Bool

    /// All durations are in microseconds.
    package init(queued: Int = 0, decoding: Int = 0, encoding: Int = 0, isPlanar: Bool = false) {
        self.isPlanar = isPlanar
        self.queued = queued
        self.decoding = decoding
        self.encoding = encoding
    }
}
