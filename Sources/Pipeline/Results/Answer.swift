// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching

/// A picture, and how it came about.
package struct Answer<Body: Sendable>: Sendable {
    /// The picture's metadata.
    package var rendition: Rendition
    /// The picture's bytes.
    package var body: Body
    /// The picture's original, for freshness and `Last-Modified`.
    package var original: Original
    /// The watermark's original, because a purge of it removes the answer too, and other bytes end it; nil without a watermark that
    /// is an original.
    package var watermark: Original?
    /// How the answer came about.
    package var outcome: Outcome
    /// How long each stage took.
    package var times: StageTimes
    /// The request to the origin; nil if the origin was not asked.
    package var forwarding: Forwarding?
    /// True if another `Accept` could have given another picture.
    package var variesByAccept: Bool
    /// When the answer's work began, for caches of answers (see `Pipeline.keep(_:by:)`).
    package var epoch: PurgeEpoch
    /// Purge tags of its originals.
    package var tags: [String]
    /// False if the answer may only serve the requests that waited for it: because of `no-store` or `private`, because a better
    /// answer is on its way, or because a purge by tag would not find it.
    package var isKept: Bool
    /// True if the answer's bytes, and their file if they are in one, are the original's own.
    package var isOriginal = false
    /// True if the rendition stands in for an AVIF.
    package var isSubstitute = false
    /// True if that AVIF is made after the answer. It is not made if it failed recently, would exceed the original's quota, or would
    /// not be kept.
    package var awaitsAVIF = false
    /// The shared store's part in the answer; nil for none.
    package var store: StorePart?
}

/// The request to the origin behind an answer, in the terms of RFC 9211.
package struct Forwarding: Sendable, Hashable {
    /// Why the origin was asked (§2.2).
    package var reason: CacheStatus.Forward
    /// The origin's status (§2.3); nil if no answer came.
    package var status: Int?
    /// True if another request's exchange was used (§2.6).
    package var isCollapsed: Bool
    /// True if the origin's answer itself was stored (§2.5), and not only a rendition made of it.
    package var isStored: Bool

    /// By default neither collapsed nor stored.
    package init(reason: CacheStatus.Forward, status: Int?, isCollapsed: Bool = false, isStored: Bool = false)
    {
        self.reason = reason
        self.status = status
        self.isCollapsed = isCollapsed
        self.isStored = isStored
    }
}
