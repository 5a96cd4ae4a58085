// SPDX-License-Identifier: Apache-2.0

package import Answers
package import DecoderPool
package import Fleet
package import HTTPServer
package import Kernel
package import Origin
package import Pipeline
internal import Platform
package import Stores
package import Telemetry
internal import TraceExport

/// Reads the modules' present state on demand, for /metrics and for readiness.
package struct Gauges: Sendable {
    /// The public listener.
    package let server: HTTPServer
    /// The stages of all requests.
    package let pipeline: Pipeline<Body>
    package let pool: DecoderPool
    package let inspectors: InspectorPool
    /// The shared downloader.
    package let downloader: Downloader
    /// The memory cache.
    package let answerCache: AnswerCache
    /// The disk cache.
    package let disk: DiskCache
    /// Nil without a shared store.
    package let shared: SharedStore?
    /// Nil without a fleet.
    package let news: FleetNews?
    /// Nil if each node limits clients on its own.
    private let fleetClients: LimitCounters?
    /// The counters of answered requests.
    package let recorder: RequestRecorder
    /// The log on standard error.
    package let log: LogStream
    private let readinessCheck: ReadinessCheck
    private let limits: ResourceLimits

    /// Reads the modules whenever it is asked, and stores no numbers.
    package init(
        server: HTTPServer, pipeline: Pipeline<Body>, pool: DecoderPool, inspectors: InspectorPool,
        downloader: Downloader, answerCache: AnswerCache, disk: DiskCache, shared: SharedStore?,
        news: FleetNews?, fleetClients: LimitCounters?, recorder: RequestRecorder, log: LogStream,
        readiness: ReadinessCheck, limits: ResourceLimits
    ) {
        self.limits = limits
        self.server = server
        self.pipeline = pipeline
        self.pool = pool
        self.inspectors = inspectors
        self.downloader = downloader
        self.answerCache = answerCache
        self.disk = disk
        self.shared = shared
        self.news = news
        self.fleetClients = fleetClients
        self.recorder = recorder
        self.log = log
        readinessCheck = readiness
    }

    /// The present readiness.
    package var readiness: Readiness { readinessCheck.readiness }

    /// The page of /metrics, with the present numbers.
    /// - Parameter namingOrigins: false to leave out samples that name origins.
    package func page(as format: Exposition.Format, namingOrigins: Bool) -> String {
        recorder.metrics.exposition(
            MetricTable.rows, of: readings, SampledMetrics.now(namingOrigins ? recorder.origins : nil),
            as: format)
    }

    /// The present numbers, for the history.
    var historyReading: HistoryReading {
        let (metrics, status, statistics) = (recorder.metrics, pool.status, disk.statistics)
        var totals = metrics.answersByOutcome
        totals.merge(metrics.errorsByClass) { $1 }
        totals[.sentBytes] = metrics.sentBytes
        (totals[.fetches], totals[.failedFetches]) = metrics.fetches
        totals[.receivedBytes] = downloader.counters.bodyBytes
        totals[.renderings] = metrics.renderings
        return HistoryReading(
            totals: totals,
            levels: [
                .connections: server.counters.open, .requestsInFlight: recorder.requestsInFlight,
                .waitingFetches: pipeline.fetches.waiting, .waitingDecodes: waitingDecodes(status),
                .busyDecoders: status.busy, .memoryBytes: answerCache.memoryStatistics.cost,
                .residentBytes: ProcessUsage.memory?.resident ?? 0,
                .diskBytes: statistics.originalBytes + statistics.renditionBytes,
            ], times: metrics.times.counts, stages: StageLabel.allCases.map(metrics.stages.counts))
    }

    /// Jobs that wait for a decoder process: for a permit, or with one in the pool, because there is one permit more than there are
    /// processes.
    private func waitingDecodes(_ decoders: WorkerPoolStatus) -> Int {
        pipeline.decodes.waiting + decoders.waiting
    }

    private var readings: Readings {
        let (health, decoders) = (pipeline.health, pool.status)
        return Readings(
            connections: server.counters, requestsInFlight: recorder.requestsInFlight,
            originalsInFlight: pipeline.originalsInFlight, renditionsInFlight: pipeline.renditionsInFlight,
            waitingFetches: pipeline.fetches.waiting, waitingDecodes: waitingDecodes(decoders),
            laterInFlight: pipeline.laterInFlight, substitutes: pipeline.counters.substitutes.read(),
            laterRenditions: pipeline.counters.laterRenditions.read(),
            slowedOrigins: pipeline.fetches.slowed,
            refusedRenditions: pipeline.counters.refusedRenditions.read(),
            restingOrigins: health.restingCount, originRests: health.rests.read(),
            originRefusals: health.refused.read(), originProbes: health.probes.read(),
            downloads: downloader.counters, decoders: decoders, inspectors: inspectors.status,
            memory: answerCache.memoryStatistics,
            memoryHits: answerCache.hits, memoryMisses: answerCache.misses,
            disk: disk.statistics, held: disk.held.statistics,
            shared: shared?.statistics ?? SharedStatistics(),
            hedges: pipeline.hedgeStatistics,
            leases: pipeline.leaseStatistics,
            fleetClients: fleetClients?.statistics ?? LimitStatistics(),
            fleetOrigins: pipeline.originTurnStatistics,
            fleet: news?.statistics ?? NewsStatistics(),
            diskKeeps: disk.health == .good ? 1 : 0, logLinesDropped: log.dropped,
            accessLinesDropped: recorder.accessLog.stream.dropped,
            spans: recorder.traces?.exporter.counters ?? SpanExporter.Counters(), limits: limits,
            fetchLimit: pipeline.fetches.permits,
            decoderMemory: pipeline.decodes.spending.spent,
            decoderMemoryLimit: pipeline.decodes.spending.of)
    }
}
