// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import HTTPServer
internal import Kernel
internal import Origin
internal import Pipeline
internal import Stores
internal import Telemetry

/// Whether requests should come here.
enum Readiness: Sendable, Hashable {
    /// Yes; perhaps with something that an operator should know.
    case ready(remark: String?)
    case notReady(String)
}

/// What the rooms say of themselves when somebody asks: the numbers of /metrics, and whether we are ready.
struct Gauges: Sendable {
    let server: HTTPServer
    let pipeline: Pipeline<Body>
    let pool: DecoderPool
    let inspectors: InspectorPool
    let downloader: Downloader
    let shortcuts: ShortcutTable
    let disk: DiskKeeper
    let journal: Journal
    let log: LogStream

    /// A disk in trouble is told, but is no reason to send the requests elsewhere: they are all answered, and where
    /// every node's disk is full there would be no elsewhere.
    var readiness: Readiness {
        if downloader.isStalled { return .notReady("the thread of all fetches stands still") }
        if pool.status.processes == 0 { return .notReady("no decoder process is running") }
        if inspectors.status.processes == 0 { return .notReady("no inspector process is running") }
        return .ready(remark: disk.health.words)
    }

    var page: String {
        let (connections, decoders, inspectors) = (server.counters, pool.status, inspectors.status)
        let (near, open) = (shortcuts.memoryStatistics, shortcuts.fileStatistics)
        let (far, health, downloads) = (disk.statistics, pipeline.health, downloader.counters)
        return journal.metrics.exposition { number in
            switch number {
            case .connections: connections.open
            case .connectionsAccepted: connections.accepted
            case .connectionsRefused: connections.turnedAway
            case .connectionsLimited: connections.ofOneClient
            case .connectionsUnannounced: connections.withoutProxyHeader
            case .refusalsHeld: connections.heldRefusals
            case .requestsInFlight: journal.requestsInFlight
            case .originalFlights: pipeline.openOriginalFlights
            case .renditionFlights: pipeline.openRenditionFlights
            case .fetchQueue: pipeline.fetches.waiting
            case .originsResting: health.restingCount
            case .originsSlowed: pipeline.fetches.slowed
            case .originGaveWay: downloads.gaveWay
            case .originRests: health.rests.read()
            case .originRefusals: health.refused.read()
            case .originProbes: health.probes.read()
            case .originResumed: downloads.resumed
            case .originRestarted: downloads.restarted
            case .originUnresumed: downloads.unresumed
            case .originStalls: downloads.stalls
            case .originOutOfStep: downloads.outOfStep
            case .originForgotten: downloads.forgotten
            case .renditionsRefused: pipeline.counters.refusedRenditions.read()
            case .decoders: decoders.processes
            case .decodersBusy: decoders.busy
            case .decoderQueue: pipeline.decodes.waiting
            case .decoderWaits: decoders.waits
            case .decoderPriced: decoders.priced
            case .decoderPeaks: decoders.peaks
            case .decoderPricesExceeded: decoders.pricesExceeded
            case .decoderRestarts: decoders.restarts
            case .decoderCrashes: decoders.crashes
            case .decoderTimeouts: decoders.timeouts
            case .decoderKills: decoders.kills
            case .decoderForbiddenCalls: decoders.forbidden
            case .inspectors: inspectors.processes
            case .inspections: inspectors.answered
            case .inspectorRestarts: inspectors.restarts
            case .inspectorCrashes: inspectors.crashes
            case .inspectorTimeouts: inspectors.timeouts
            case .inspectorKills: inspectors.kills
            case .inspectorForbiddenCalls: inspectors.forbidden
            case .jailWallsStanding: decoders.walls
            case .jailWallsMissing: decoders.missingWalls
            case .memoryBytes: near.cost
            case .memoryEntries: near.entries
            case .memoryHits: near.hits + open.hits
            case .memoryMisses: near.misses
            case .memoryEvictions: near.evictions
            case .diskKeeping: disk.health == .good ? 1 : 0
            case .diskOriginalBytes: far.originalBytes
            case .diskRenditionBytes: far.renditionBytes
            case .diskOriginals: far.originals
            case .diskRenditions: far.renditions
            case .diskEvictions: far.evicted
            case .diskDamaged: far.damaged
            case .diskUnreadable: far.unreadable
            case .diskVanished: far.vanished
            case .diskSkipped: far.skipped
            case .diskWriteErrors: far.writeErrors
            case .diskIndexErrors: far.indexErrors
            case .diskReopened: far.reopened
            case .logLinesDropped: log.dropped
            case .accessLinesDropped: journal.accessLog?.dropped ?? 0
            }
        }
    }
}
