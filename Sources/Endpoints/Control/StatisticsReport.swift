// SPDX-License-Identifier: Apache-2.0

package import Answers
package import Kernel
internal import Monitoring
package import Origin
package import Pipeline
package import Stores

/// How full the cache is and how well it works. Counted since the daemon started, except where it says "now".
package struct StatisticsReport: Sendable, Codable {
    package struct Memory: Sendable, Codable {
        /// Now: ready answers, and bytes.
        package var answers: Int
        package var bytes: Int
        /// Now: answers that are open files.
        package var openFiles: Int
        package var hits: Int
        package var misses: Int
        package var evictions: Int
    }

    package struct Disk: Sendable, Codable {
        /// Now: URLs, the files that they share, and bytes.
        package var originals: Int
        package var originalFiles: Int
        package var originalBytes: Int
        /// Now.
        package var renditions: Int
        package var renditionBytes: Int
        /// Now: the index and its log, in bytes.
        package var indexBytes: Int
        package var evictions: Int
        package var damaged: Int
        package var vanished: Int
        package var writeErrors: Int
        package var skipped: Int
        /// Nil: it takes new things; else why not.
        package var trouble: String?
    }

    package struct Work: Sendable, Codable {
        package var fetches: Int
        package var revalidations: Int
        package var backgroundRefreshes: Int
        /// Of both, those after which the held bytes stayed in force.
        package var unchanged: Int
        package var renders: Int
        package var joinedFetches: Int
        package var joinedRenders: Int
        package var rememberedFailures: Int
        package var staleAnswers: Int
        package var overloaded: Int
        /// Now.
        package var inFlight: Int
        package var waiting: Int
    }

    package struct Origins: Sendable, Codable {
        /// Now: those that are left alone, the longest sick first; `longest` at most.
        package var resting: [OriginReport]
        /// Now, in all.
        package var restingCount: Int
        package var rests: Int
        package var refusals: Int
        package var probes: Int
        /// Bodies that broke off: their rest came, the whole came once more, or neither.
        package var resumed: Int
        package var restarted: Int
        package var unresumed: Int

        package static let longest = 100
    }

    /// Nil where no daemon runs, as `work` and `origins`.
    package var memory: Memory?
    package var disk: Disk
    package var work: Work?
    package var origins: Origins?

    package init(
        disk diskCache: DiskCache, answerCache: AnswerCache? = nil, pipeline: Pipeline<Body>? = nil,
        downloader: Downloader? = nil
    ) {
        disk = Disk(diskCache)
        memory = answerCache.map(Memory.init)
        work = pipeline.map { Work($0) }
        if let pipeline, let downloader { origins = Origins(pipeline.health, downloader.counters) }
    }
}

extension StatisticsReport.Memory {
    fileprivate init(_ answerCache: AnswerCache) {
        let (near, open) = (answerCache.memoryStatistics, answerCache.fileStatistics)
        self.init(
            answers: near.entries, bytes: near.cost, openFiles: open.entries, hits: near.hits + open.hits,
            misses: near.misses, evictions: near.evictions + open.evictions)
    }
}

extension StatisticsReport.Disk {
    fileprivate init(_ diskCache: DiskCache) {
        let now = diskCache.statistics
        self.init(
            originals: now.originals, originalFiles: now.originalFiles, originalBytes: now.originalBytes,
            renditions: now.renditions, renditionBytes: now.renditionBytes,
            indexBytes: diskCache.store?.indexBytes ?? 0,
            evictions: now.evicted, damaged: now.damaged, vanished: now.vanished,
            writeErrors: now.writeErrors, skipped: now.skipped, trouble: diskCache.health.words)
    }
}

extension StatisticsReport.Origins {
    fileprivate init(_ health: HostHealthTable, _ downloads: DownloadCounters) {
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
