// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import SourceURLs

/// A picture, and how it came about.
package struct Answer<Body: Sendable>: Sendable {
    package var rendition: Rendition
    package var body: Body
    /// For freshness and `Last-Modified`.
    package var original: Original
    /// Another original, which the picture bears, and goes with.
    package var watermark: OriginalKey?
    package var outcome: Outcome
    package var times: StageTimes
    /// Nil: nobody was asked.
    package var forwarding: Forwarding?
    /// Another `Accept` could have got another picture.
    package var variesByAccept: Bool
    /// For a cache that keeps the answer (see `Pipeline.keep(_:by:)`).
    package var epoch: PurgeEpoch
    package var tags: [String]
    /// False: for the requests that waited for it only, to be kept nowhere (`no-store`, `private`).
    package var isKept: Bool
}

/// Microseconds of each stage. Of work that was shared, the whole of it.
package struct StageTimes: Sendable, Hashable {
    package enum Stage: String, Sendable, CaseIterable {
        /// Asking the caches.
        case cache
        /// From the request on the wire to the last byte.
        case origin
        /// Asking an inspector process about the picture.
        case inspect
        /// Waiting for slots, of both kinds.
        case queue
        case decode, encode
    }

    package var cache: Int
    package var origin: Int
    package var inspect: Int
    package var queue: Int
    package var decode: Int
    package var encode: Int

    package init(
        cache: Int = 0, origin: Int = 0, inspect: Int = 0, queue: Int = 0, decode: Int = 0, encode: Int = 0
    ) {
        self.cache = cache
        self.origin = origin
        self.inspect = inspect
        self.queue = queue
        self.decode = decode
        self.encode = encode
    }

    package subscript(stage: Stage) -> Int {
        switch stage {
        case .cache: cache
        case .origin: origin
        case .inspect: inspect
        case .queue: queue
        case .decode: decode
        case .encode: encode
        }
    }

    static func + (a: StageTimes, b: StageTimes) -> StageTimes {
        StageTimes(
            cache: a.cache + b.cache, origin: a.origin + b.origin, inspect: a.inspect + b.inspect,
            queue: a.queue + b.queue, decode: a.decode + b.decode, encode: a.encode + b.encode)
    }
}

/// That the origin was asked, in the terms of RFC 9211.
package struct Forwarding: Sendable, Hashable {
    /// §2.2.
    package var reason: CacheStatus.Forward
    /// §2.3; nil where no answer came.
    package var status: Int?
    /// §2.6: the answer to another request for the same original was used.
    package var isCollapsed: Bool
    /// §2.5.
    package var isStored: Bool

    package init(reason: CacheStatus.Forward, status: Int?, isCollapsed: Bool = false, isStored: Bool = false)
    {
        self.reason = reason
        self.status = status
        self.isCollapsed = isCollapsed
        self.isStored = isStored
    }
}
