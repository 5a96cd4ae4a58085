// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import SourceURLs

/// An original that may be used now, whether it was held or has just come in.
struct Arrival<Body: Sendable>: Sendable {
    var original: Original
    /// The original that is laid over it, where one is.
    var watermark: OriginalKey?
    /// When it was looked up, or its in-flight request began: a purge that came later has taken it away.
    var epoch: PurgeEpoch
    /// The origin's, where it was asked: those of a held original stand in the index.
    var tags: [String] = []
    /// The bytes where they are in hand; otherwise the cache is asked, and only if something is to be rendered.
    var body: Body?
    /// The picture's metadata, where the fetch was made to describe it.
    var details: ImageDetails?
    /// False: it serves the requests that waited for it, and neither it nor its renditions are kept.
    var isKept = true
    /// Served past its lifetime.
    var isStale = false
    /// Nil: it was held, and nobody was asked.
    var forwarding: Forwarding?
    var times = StageTimes()
}

/// The result of a rendition's in-flight request.
enum Making<Body: Sendable>: Sendable {
    case made(Rendition, Body, StageTimes)
    /// Another in-flight request had completed between this one's cache look-up and its start.
    case found(Rendition, Body, inMemory: Bool)
    /// The original's bytes were gone when they were needed.
    case vanished
}
