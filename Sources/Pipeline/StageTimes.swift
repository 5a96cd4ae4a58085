// SPDX-License-Identifier: Apache-2.0

/// Microseconds of each stage. A request that shared another's work counts all of that work's time.
package struct StageTimes: Sendable, Hashable {
    /// The stages, by their names in `Server-Timing`.
    package enum Stage: String, Sendable, CaseIterable {
        /// Looking up the caches.
        case cache
        /// The exchange with the origin, from the request to the last byte.
        case origin
        /// Reading the picture's header in an inspector process.
        case inspect
        /// Waiting for fetch and decoder permits.
        case queue
        case decode, encode
    }

    /// Microseconds.
    package var cache: Int
    /// Microseconds.
    package var origin: Int
    /// Microseconds.
    package var inspect: Int
    /// Microseconds.
    package var queue: Int
    /// Microseconds.
    package var decode: Int
    /// Microseconds.
    package var encode: Int
    /// True if a JPEG was decoded and resized plane by plane, without libvips.
    package var isPlanar = false

    /// All times are in microseconds.
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

    /// Microseconds.
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
        var sum = StageTimes(
            cache: a.cache + b.cache, origin: a.origin + b.origin, inspect: a.inspect + b.inspect,
            queue: a.queue + b.queue, decode: a.decode + b.decode, encode: a.encode + b.encode)
        sum.isPlanar = a.isPlanar || b.isPlanar
        return sum
    }
}
