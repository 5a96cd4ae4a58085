// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import DecoderPool
internal import HTTPSemantics
internal import ImageHeaders
internal import Monitoring
internal import Pipeline
internal import Platform
internal import RequestGrammar
internal import Stores

/// The daemon at one moment: the answer of `GET /admin/live`, and each event of `GET /admin/events`. Sizes are bytes.
///
/// The parts that commands read are `Codable`; each command's own type lists the parts that it needs.
package struct LiveReport: Sendable, Encodable {
    /// How much of a budget is used.
    package struct Budget: Sendable, Codable {
        package var used: Int
        /// Nil if the budget has no limit.
        package var limit: Int?
    }

    /// One decoder process.
    package struct Decoder: Sendable, Codable {
        package var number: Int
        /// `starting`, `ready`, `busy` or `ended`.
        package var state: String
        package var process: Int32?
        /// The picture that it decodes: `jpeg 4000×3000`.
        package var original: String?
        /// The recipe in its canonical spelling, as in the key.
        package var recipe: String?
        package var milliseconds: Int?
        /// Bytes that the job was admitted for.
        package var price: Int?
        /// Bytes that the process has now; more than the price, because the price covers the job alone.
        package var resident: Int?
    }

    /// An original that is being fetched or revalidated.
    package struct Fetch: Sendable, Codable {
        package var url: String
        /// Requests that wait for it.
        package var waiting: Int
    }

    /// A target and its share of all answers of the last minutes, estimated from a sample of them.
    package struct Target: Sendable, Codable {
        package var target: String
        package var share: Double
        package var byteShare: Double
    }

    /// An origin and its fetches of the last minutes; older fetches count with decreasing weight.
    package struct FetchedOrigin: Sendable, Codable {
        package var origin: String
        package var fetches: Double
        /// The share of fetches that gave no picture through the origin's fault.
        package var failed: Double
        /// The mean time of a fetch.
        package var milliseconds: Int
    }

    /// The number of the event.
    var number: UInt64
    /// Milliseconds since 1970.
    var time: Int64
    /// Seconds since the daemon started to serve.
    var uptime: Int
    var version: String
    var isReady: Bool
    /// Why the daemon is not ready, or what is wrong although it is ready.
    var remark: String?
    /// The values of the last second, by the series' names in `GET /admin/history`; series without a value are left out.
    var second: [String: Double]
    var decoders: [Decoder]
    var budgets: [String: Budget]
    var fetching: [Fetch]
    /// The targets that are requested most.
    var targets: [Target]
    /// The origins that rest or are probed, those with the most rests first.
    var origins: [OriginReport]
    var restingOrigins: Int
    /// The origins that were asked most, those with the most failures first.
    var fetchedOrigins: [FetchedOrigin]
    /// The latest first.
    var errors: [RecentErrors.Entry]
    /// Nil without a fleet.
    var fleet: FleetReport?
    /// Readers of the live events at present.
    var readers: Int
    var tasks: [MaintenanceReport]

    private static let longest = 20
}

extension LiveReport {
    /// Facts that do not change while the daemon runs.
    package struct Facts: Sendable {
        /// The daemon's version.
        package var version: String
        /// Bytes for renditions in memory.
        package var memory: Int
        /// Bytes of files on disk.
        package var disk: Int
        /// When the daemon started, in seconds of a clock that never goes back.
        package var began: Int

        /// Takes the settings in force.
        package init(version: String, memory: Int, disk: Int, began: Int) {
            self.version = version
            self.memory = memory
            self.disk = disk
            self.began = began
        }
    }

    /// Reads everything now.
    init(_ monitor: LiveMonitor, _ facts: Facts, maintenance: Maintenance, number: UInt64, second: Int) {
        let gauges = monitor.gauges
        let statistics = gauges.disk.statistics
        let spending = gauges.pipeline.decodes.spending
        self.number = number
        time = SystemEnvironment.now().milliseconds
        uptime = second - facts.began
        version = facts.version
        switch gauges.readiness {
        case .ready(let remark): (isReady, self.remark) = (true, remark)
        case .notReady(let reason): (isReady, remark) = (false, reason)
        }
        let last = monitor.history.last
        self.second = HistorySeries.allCases.reduce(into: [:]) { $0[$1.name] = last[$1] }
        decoders = gauges.pool.workers.map(Decoder.init)
        budgets = [
            "memory": Budget(used: gauges.answerCache.memoryStatistics.cost, limit: facts.memory),
            "disk": Budget(used: statistics.originalBytes + statistics.renditionBytes, limit: facts.disk),
            "pictures": Budget(used: spending.spent, limit: spending.of),
        ]
        fetching = gauges.pipeline.fetching(Self.longest).map {
            Fetch(url: gauges.recorder.shown($0.url), waiting: $0.waiting)
        }
        targets = gauges.recorder.busiestTargets(Self.longest).map {
            Target(
                target: $0.target, share: $0.share.inTenThousandths,
                byteShare: $0.byteShare.inTenThousandths)
        }
        origins = gauges.pipeline.health.resting(limit: Self.longest).map(OriginReport.init)
        restingOrigins = gauges.pipeline.health.restingCount
        fetchedOrigins = gauges.recorder.origins.worst(Self.longest).map {
            FetchedOrigin(
                origin: "\($0.origin)", fetches: ($0.fetches * 10).rounded() / 10,
                failed: ($0.failures / $0.fetches).inTenThousandths, milliseconds: Int($0.milliseconds))
        }
        errors = gauges.recorder.lastErrors
        fleet = gauges.news.map(FleetReport.init)
        readers = monitor.broadcast.readers
        tasks = MaintenanceTask.allCases.map(maintenance.report)
    }
}

extension LiveReport.Decoder {
    fileprivate init(_ worker: WorkerStatus<DecoderJob>) {
        let header = worker.job?.header
        self.init(
            number: worker.number, state: worker.state.rawValue, process: worker.process,
            original: header.map { "\($0.format) \($0.width)×\($0.height)" },
            recipe: worker.job.map { "\($0.recipe.canonical)" },
            milliseconds: worker.running.map { Int($0 / .milliseconds(1)) }, price: worker.job?.price,
            resident: worker.resident)
    }
}

extension Double {
    /// The number rounded to four decimals, for readability.
    fileprivate var inTenThousandths: Double { (self * 10_000).rounded() / 10_000 }
}
