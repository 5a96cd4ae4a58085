// SPDX-License-Identifier: Apache-2.0

package import Answers
package import Fleet
package import Kernel
internal import Monitoring
package import Origin
package import Pipeline
package import Stores

/// The answer of `GET /admin/stats`. Numbers not marked "Now" are totals since the daemon started.
package struct StatisticsReport: Sendable, Codable {
    /// The memory cache, with the open files that it answers from.
    package struct Memory: Sendable, Codable {
        /// Now: ready answers in memory.
        package var answers: Int
        /// Now: bytes of the answers in memory, with their bookkeeping.
        package var bytes: Int
        /// Now: answers that are open files.
        package var openFiles: Int
        /// Requests for which an answer was found, in memory or as an open file.
        package var hits: Int
        /// Requests for which no answer was found.
        package var misses: Int
        /// Answers evicted and open files closed to make room.
        package var evictions: Int
    }

    /// The disk cache.
    package struct Disk: Sendable, Codable {
        /// Now: originals, counted by URL.
        package var originals: Int
        /// Now: files of originals; URLs with the same bytes share one.
        package var originalFiles: Int
        /// Now: bytes of the originals' files, and the bytes that each URL counts beside them.
        package var originalBytes: Int
        /// Now: renditions.
        package var renditions: Int
        /// Now: bytes of the renditions.
        package var renditionBytes: Int
        /// Now: bytes of the index and its log; 0 without a store.
        package var indexBytes: Int
        /// Entries evicted for lack of room.
        package var evictions: Int
        /// Files with a wrong length, footer or checksum.
        package var damaged: Int
        /// Entries whose file was missing.
        package var vanished: Int
        /// Files not kept because a write failed.
        package var writeErrors: Int
        /// Files not kept because the budget or the writer's queue was full.
        package var skipped: Int
        /// The reason why the disk cache keeps nothing new; nil if it does keep.
        package var trouble: String?
    }

    /// Files that no cache's budget counts: on their way into a cache, not to be kept, or evicted while clients read them.
    package struct Held: Sendable, Codable {
        /// Now: bytes in memory.
        package var memoryBytes: Int
        /// Now: bytes on the disk.
        package var diskBytes: Int
        /// Files that were not made, or not completely written, for lack of room.
        package var refusals: Int
    }

    /// The work of the pipeline.
    package struct Work: Sendable, Codable {
        /// Unconditional requests to origins.
        package var fetches: Int
        /// Conditional requests to origins.
        package var revalidations: Int
        /// Fetches and revalidations that started without a waiting client.
        package var backgroundRefreshes: Int
        /// Fetches and revalidations that left the held bytes valid.
        package var unchanged: Int
        /// Jobs given to a decoder.
        package var renders: Int
        /// Requests that joined another's fetch.
        package var joinedFetches: Int
        /// Requests that joined another's rendering.
        package var joinedRenders: Int
        /// Failures answered from memory.
        package var rememberedFailures: Int
        /// Answers from a stale original.
        package var staleAnswers: Int
        /// Requests refused for lack of a permit.
        package var overloaded: Int
        /// Now: in-flight requests for originals and for renditions.
        package var inFlight: Int
        /// Now: requests that wait for in-flight requests.
        package var waiting: Int
    }

    /// The health of origins, and broken downloads.
    package struct Origins: Sendable, Codable {
        /// Now: origins that rest or are probed, those with the most rests first; at most `longest`.
        package var resting: [OriginReport]
        /// Now: origins that rest or are probed, without that limit.
        package var restingCount: Int
        /// Rests that began while the origin counted as healthy.
        package var rests: Int
        /// Requests not sent because their origin rested.
        package var refusals: Int
        /// Requests sent to find out whether an origin is healthy again.
        package var probes: Int
        /// Broken bodies whose missing part was fetched.
        package var resumed: Int
        /// Broken bodies that were fetched anew from the start.
        package var restarted: Int
        /// Fetches that failed after they had asked for the missing part of a broken body.
        package var unresumed: Int

        /// The most origins in `resting`.
        package static let longest = 100
    }

    /// Nil if no daemon runs.
    package var memory: Memory?
    /// The disk cache, known with and without a daemon.
    package var disk: Disk
    /// Nil if no daemon runs.
    package var held: Held?
    /// Nil if no daemon runs.
    package var work: Work?
    /// Nil if no daemon runs.
    package var origins: Origins?
    /// Nil without a fleet, and if no daemon runs.
    package var fleet: FleetReport?

    /// Reads all counters now. Without a daemon only the disk cache has any.
    /// - Parameter indexBytes: bytes of the disk cache's index, which only the disk knows.
    package init(
        disk diskCache: DiskCache, indexBytes: Int, answerCache: AnswerCache? = nil,
        pipeline: Pipeline<Body>? = nil, downloader: Downloader? = nil, news: FleetNews? = nil
    ) {
        disk = Disk(diskCache, indexBytes: indexBytes)
        memory = answerCache.map(Memory.init)
        held = answerCache.map { _ in Held(diskCache.held.statistics) }
        work = pipeline.map { Work($0) }
        fleet = news.map(FleetReport.init)
        if let pipeline, let downloader { origins = Origins(pipeline.health, downloader.counters) }
    }
}

extension StatisticsReport.Memory {
    fileprivate init(_ answerCache: AnswerCache) {
        let (near, open) = (answerCache.memoryStatistics, answerCache.fileStatistics)
        self.init(
            answers: near.entries, bytes: near.cost, openFiles: open.entries, hits: answerCache.hits,
            misses: answerCache.misses, evictions: near.evictions + open.evictions)
    }
}

extension StatisticsReport.Disk {
    fileprivate init(_ diskCache: DiskCache, indexBytes: Int) {
        let now = diskCache.statistics
        self.init(
            originals: now.originals, originalFiles: now.originalFiles, originalBytes: now.originalBytes,
            renditions: now.renditions, renditionBytes: now.renditionBytes,
            indexBytes: indexBytes,
            evictions: now.evicted, damaged: now.damaged, vanished: now.vanished,
            writeErrors: now.writeErrors, skipped: now.skipped, trouble: diskCache.health.words)
    }
}

extension StatisticsReport.Held {
    fileprivate init(_ now: HeldStatistics) {
        self.init(
            memoryBytes: now.memoryBytes, diskBytes: now.diskBytes,
            refusals: now.memoryRefusals + now.diskRefusals)
    }
}

extension StatisticsReport.Origins {
    fileprivate init(_ health: OriginHealthTable, _ downloads: DownloadCounters) {
        self.init(
            resting: health.resting(limit: Self.longest).map(OriginReport.init),
            restingCount: health.restingCount, rests: health.rests.read(), refusals: health.refused.read(),
            probes: health.probes.read(), resumed: downloads.resumed, restarted: downloads.restarted,
            unresumed: downloads.unresumed)
    }
}

extension StatisticsReport.Work {
    fileprivate init(_ pipeline: Pipeline<Body>) {
        let counters = pipeline.counters
        self.init(
            fetches: counters.fetches.read(), revalidations: counters.revalidations.read(),
            backgroundRefreshes: counters.backgroundRefreshes.read(), unchanged: counters.unchanged.read(),
            renders: counters.renders.read(), joinedFetches: counters.joinedOriginals.read(),
            joinedRenders: counters.joinedRenditions.read(),
            rememberedFailures: counters.negativeHits.read(), staleAnswers: counters.staleServed.read(),
            overloaded: counters.overloaded.read(), inFlight: pipeline.workInFlight,
            waiting: pipeline.waitingRequests)
    }
}
