// SPDX-License-Identifier: Apache-2.0

package import Answers
package import DecoderPool
package import HTTPServer
package import Kernel
package import Origin
package import Pipeline
package import Stores
internal import Telemetry

/// Whether requests should come here.
package enum Readiness: Sendable, Hashable {
    /// Yes; perhaps with something that an operator should know.
    case ready(remark: String?)
    case notReady(String)
}

/// What the modules say of themselves when somebody asks: the numbers of /metrics, and whether we are ready.
package struct Gauges: Sendable {
    package let server: HTTPServer
    package let pipeline: Pipeline<Body>
    package let pool: DecoderPool
    package let inspectors: InspectorPool
    package let downloader: Downloader
    package let answerCache: AnswerCache
    package let disk: DiskCache
    package let recorder: RequestRecorder
    package let log: LogStream

    package init(
        server: HTTPServer, pipeline: Pipeline<Body>, pool: DecoderPool, inspectors: InspectorPool,
        downloader: Downloader, answerCache: AnswerCache, disk: DiskCache, recorder: RequestRecorder,
        log: LogStream
    ) {
        self.server = server
        self.pipeline = pipeline
        self.pool = pool
        self.inspectors = inspectors
        self.downloader = downloader
        self.answerCache = answerCache
        self.disk = disk
        self.recorder = recorder
        self.log = log
    }

    /// A disk in trouble is told, but is no reason to send the requests elsewhere: they are all answered, and where
    /// every node's disk is full there would be no elsewhere.
    package var readiness: Readiness {
        if downloader.isStalled { return .notReady("the thread of all fetches stands still") }
        if pool.status.processes == 0 { return .notReady("no decoder process is running") }
        if inspectors.status.processes == 0 { return .notReady("no inspector process is running") }
        return .ready(remark: disk.health.words)
    }

    package var page: String { recorder.metrics.exposition(MetricTable.rows, of: readings) }

    private var readings: Readings {
        let health = pipeline.health
        return Readings(
            connections: server.counters, requestsInFlight: recorder.requestsInFlight,
            originalsInFlight: pipeline.originalsInFlight, renditionsInFlight: pipeline.renditionsInFlight,
            waitingFetches: pipeline.fetches.waiting, waitingDecodes: pipeline.decodes.waiting,
            slowedOrigins: pipeline.fetches.slowed,
            refusedRenditions: pipeline.counters.refusedRenditions.read(),
            restingOrigins: health.restingCount, originRests: health.rests.read(),
            originRefusals: health.refused.read(), originProbes: health.probes.read(),
            downloads: downloader.counters, decoders: pool.status, inspectors: inspectors.status,
            memory: answerCache.memoryStatistics, openFiles: answerCache.fileStatistics,
            disk: disk.statistics,
            diskKeeps: disk.health == .good ? 1 : 0, logLinesDropped: log.dropped,
            accessLinesDropped: recorder.accessLog?.dropped ?? 0)
    }
}
