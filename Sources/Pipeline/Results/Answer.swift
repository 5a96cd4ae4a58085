// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import SourceURLs

/// A picture, with the story of how it came about.
package struct Answer<Body: Sendable>: Sendable {
    /// The picture's metadata.
    package var rendition: Rendition
    /// The picture's bytes.
    package var body: Body
    /// Its original, for freshness and `Last-Modified`.
    package var original: Original
    /// The original of its watermark, with which it is purged; nil without one.
    package var watermark: OriginalKey?
    /// How the answer came about.
    package var outcome: Outcome
    /// Where the time went.
    package var times: StageTimes
    /// Nil if the origin was not asked.
    package var forwarding: Forwarding?
    /// True if another `Accept` could have given another picture.
    package var variesByAccept: Bool
    /// The start of its work, for caches of answers (see `Pipeline.keep(_:by:)`).
    package var epoch: PurgeEpoch
    /// Purge tags of its originals.
    package var tags: [String]
    /// False if it may only serve the requests that waited for it: by `no-store` or `private`, because a better one is on
    /// its way, or because a purge by tag would not find it.
    package var isKept: Bool
    /// True if its bytes are its original's, and its file is, where they are in one.
    package var isOriginal = false
    /// True if it stands in for an AVIF.
    package var isSubstitute = false
    /// True if that AVIF is made behind the answer. It is not where that has failed lately, would be one rendition too many of its
    /// original, or would not be kept.
    package var awaitsAVIF = false
    /// The shared store's part in it; nil for none.
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
    /// True if the origin's answer was stored (§2.5), and not only what was made of it.
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
