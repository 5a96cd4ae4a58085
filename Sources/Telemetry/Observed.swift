// SPDX-License-Identifier: Apache-2.0

/// Numbers that other rooms keep for their own use, and that are asked for only when the page is made.
///
/// Those of one metric stand side by side, because the format wants its samples in one group.
package enum Observed: Sendable, Hashable, CaseIterable {
    case connections, connectionsAccepted, connectionsRefused, connectionsLimited, connectionsUnannounced
    case refusalsHeld
    case requestsInFlight
    case originalFlights, renditionFlights
    case fetchQueue, originsResting, originRests, originRefusals, originProbes
    case originsSlowed, originGaveWay
    case originResumed, originRestarted, originUnresumed
    case originStalls, originOutOfStep, originForgotten
    case renditionsRefused
    case decoders, decodersBusy, decoderQueue, decoderRestarts, decoderCrashes, decoderTimeouts
    case decoderKills
    case decoderWaits, decoderPriced, decoderPeaks, decoderPricesExceeded
    case inspectors, inspections, inspectorRestarts, inspectorCrashes, inspectorTimeouts, inspectorKills
    case inspectorForbiddenCalls
    case decoderForbiddenCalls, jailWallsStanding, jailWallsMissing
    case memoryBytes, memoryEntries, memoryHits, memoryMisses, memoryEvictions
    case diskOriginalBytes, diskRenditionBytes
    case diskOriginals, diskRenditions
    case diskEvictions, diskDamaged, diskUnreadable, diskVanished, diskSkipped, diskWriteErrors
    case diskIndexErrors, diskReopened
    case diskKeeping
    case logLinesDropped, accessLinesDropped

    package var row: MetricRow {
        switch self {
        case .connections: gauge("connections", "connections", "Client connections that are open.")
        case .connectionsAccepted: counter("connections_accepted", "connections", "Client connections taken.")
        case .connectionsRefused:
            counter(
                "connections_refused", "connections", "Client connections closed at once, being too many.")
        case .connectionsLimited:
            counter(
                "connections_limited", "connections",
                "Of the refused ones, those whose client had too many.")
        case .connectionsUnannounced:
            counter(
                "connections_unannounced", "connections",
                "Client connections closed for want of a PROXY protocol header from a trusted proxy.")
        case .refusalsHeld:
            counter(
                "refusals_held", "requests",
                "Answers 429 and 503 that were held back, because they were too many in a second.")
        case .requestsInFlight:
            gauge("requests_in_flight", "requests", "Requests that wait for their answer.")
        case .originalFlights, .renditionFlights:
            gauge("flights", "flights", "Pieces of work that one or more requests wait for.", ["kind"])
        case .fetchQueue, .originsResting, .originsSlowed, .originGaveWay, .originRests, .originRefusals,
            .originProbes, .originResumed, .originRestarted, .originUnresumed, .originStalls,
            .originOutOfStep, .originForgotten:
            originRow
        case .renditionsRefused:
            counter(
                "renditions_refused", "requests",
                "Requests refused because too many renditions of their original were made.")
        case .decoders, .decodersBusy, .decoderQueue, .decoderRestarts, .decoderCrashes, .decoderTimeouts,
            .decoderKills:
            decoderRow
        case .inspectors, .inspections, .inspectorRestarts, .inspectorCrashes, .inspectorTimeouts,
            .inspectorKills, .inspectorForbiddenCalls:
            inspectorRow
        case .decoderWaits, .decoderPriced, .decoderPeaks, .decoderPricesExceeded: decoderMemoryRow
        case .decoderForbiddenCalls, .jailWallsStanding, .jailWallsMissing: jailRow
        case .memoryBytes, .memoryEntries, .memoryHits, .memoryMisses, .memoryEvictions: memoryRow
        case .diskOriginalBytes, .diskRenditionBytes, .diskOriginals, .diskRenditions,
            .diskEvictions, .diskDamaged, .diskUnreadable, .diskVanished, .diskSkipped, .diskWriteErrors,
            .diskIndexErrors,
            .diskReopened, .diskKeeping:
            diskRow
        case .logLinesDropped, .accessLinesDropped:
            counter(
                "log_lines_dropped", "lines",
                "Lines of the log (stderr) and of the access log (stdout) that nobody took.", ["stream"])
        }
    }

    /// The label that tells apart the numbers of one metric.
    package var labels: [(String, String)] {
        switch self {
        case .originalFlights, .diskOriginalBytes, .diskOriginals:
            [("kind", "original")]
        case .renditionFlights, .diskRenditionBytes, .diskRenditions:
            [("kind", "rendition")]
        case .originResumed: [("result", "resumed")]
        case .originRestarted: [("result", "restarted")]
        case .originUnresumed: [("result", "failed")]
        case .logLinesDropped: [("stream", "stderr")]
        case .accessLinesDropped: [("stream", "stdout")]
        case .jailWallsStanding: [("state", "standing")]
        case .jailWallsMissing: [("state", "missing")]
        default: []
        }
    }
}

extension Observed {
    private var originRow: MetricRow {
        switch self {
        case .fetchQueue:
            gauge("fetch_queue_length", "fetches", "Fetches that wait for a slot, or for their host's rate.")
        case .originsResting:
            gauge("origins_resting", "origins", "Origins that are left alone, or asked by one fetch at most.")
        case .originsSlowed:
            gauge(
                "origins_slowed", "origins", "Origins that are asked less often, because they answered 429.")
        case .originGaveWay:
            counter(
                "origin_fetches_ended", "fetches",
                "Fetches ended because they were slow while others waited for a slot.")
        case .originRests:
            counter("origin_rests", "times", "Times that an origin that was well began to be left alone.")
        case .originRefusals:
            counter("origin_refusals", "fetches", "Fetches not sent, because their origin is left alone.")
        case .originStalls:
            counter(
                "origin_stalls", "times",
                "Times that the thread of all fetches was found to stand still; every fetch was given up.")
        case .originOutOfStep:
            counter(
                "origin_connections_out_of_step", "connections",
                "Kept connections on which bytes were found that nobody had asked for.")
        case .originForgotten:
            counter(
                "origin_answers_forgotten", "originals",
                "Originals dropped because their connection was found out of step, or ended before it was proven."
            )
        case .originProbes:
            counter(
                "origin_probes", "fetches", "Fetches sent to find out whether an origin is well again.")
        default:
            counter(
                "origin_resumptions", "bodies",
                "Bodies that broke off and were asked for again: their rest came, the whole came, or neither.",
                ["result"])
        }
    }

    private var decoderRow: MetricRow {
        switch self {
        case .decodersBusy: gauge("decoders_busy", "processes", "Decoder processes that have a job.")
        case .decoderQueue: gauge("decoder_queue_length", "jobs", "Jobs that wait for a decoder process.")
        case .decoderRestarts:
            counter("decoder_restarts", "processes", "Decoder processes started in place of another one.")
        case .decoderCrashes: counter("decoder_crashes", "processes", "Decoder processes that died of a job.")
        case .decoderTimeouts:
            counter("decoder_timeouts", "processes", "Decoder processes killed at a job's deadline.")
        case .decoderKills:
            counter(
                "decoder_kills", "processes",
                "Decoder processes killed from outside with a job: by the kernel, out of memory, or by hand."
            )
        default: gauge("decoders", "processes", "Decoder processes that are alive.")
        }
    }

    private var inspectorRow: MetricRow {
        switch self {
        case .inspections:
            counter("inspections", "questions", "Headers and details that inspector processes have read.")
        case .inspectorRestarts:
            counter("inspector_restarts", "processes", "Inspector processes started in place of another one.")
        case .inspectorCrashes:
            counter("inspector_crashes", "processes", "Inspector processes that died of a picture.")
        case .inspectorTimeouts:
            counter("inspector_timeouts", "processes", "Inspector processes killed at a question's deadline.")
        case .inspectorKills:
            counter(
                "inspector_kills", "processes",
                "Inspector processes with a question that were killed from outside.")
        case .inspectorForbiddenCalls:
            counter(
                "inspector_forbidden_calls", "processes",
                "Inspector processes killed for a system call that their jail forbids.")
        default: gauge("inspectors", "processes", "Inspector processes that are alive.")
        }
    }

    private var decoderMemoryRow: MetricRow {
        switch self {
        case .decoderWaits:
            counter(
                "decoder_waits", "jobs",
                "Jobs that found no decoder process ready, although fewer were at work than may be.")
        case .decoderPriced:
            counter(
                "decoder_price_bytes", "bytes",
                "Memory that jobs were admitted for, of those that were measured.")
        case .decoderPricesExceeded:
            counter("decoder_price_exceeded", "jobs", "Jobs that took more memory than their price.")
        default:
            counter(
                "decoder_peak_bytes", "bytes",
                "Memory that the same jobs took, each at its highest point.")
        }
    }

    private var jailRow: MetricRow {
        switch self {
        case .decoderForbiddenCalls:
            counter(
                "decoder_forbidden_calls", "processes",
                "Decoder processes killed for a system call that their jail forbids.")
        default:
            gauge(
                "decoder_jail_walls", "walls",
                "Walls around the decoder process that started last; the log names them.", ["state"])
        }
    }

    private var memoryRow: MetricRow {
        switch self {
        case .memoryEntries: gauge("memory_entries", "entries", "Renditions in memory.")
        case .memoryHits: counter("memory_hits", "lookups", "Lookups in memory that found something.")
        case .memoryMisses: counter("memory_misses", "lookups", "Lookups in memory that found nothing.")
        case .memoryEvictions: counter("memory_evictions", "entries", "Entries that made room in memory.")
        default: gauge("memory_bytes", "bytes", "Bytes of renditions in memory.")
        }
    }

    private var diskRow: MetricRow {
        switch self {
        case .diskOriginals, .diskRenditions: gauge("disk_entries", "files", "Files on disk.", ["kind"])
        case .diskEvictions: counter("disk_evictions", "files", "Files that made room on disk.")
        case .diskDamaged:
            counter("disk_damaged", "files", "Files that did not match their row and were dropped.")
        case .diskUnreadable:
            counter(
                "disk_unreadable", "files",
                "Files that could not be read, or were altered or cut, while they were in use, and were dropped."
            )
        case .diskVanished: counter("disk_vanished", "files", "Files that were gone when they were wanted.")
        case .diskSkipped:
            counter("disk_skipped", "files", "Files that were not kept, for want of room in the budget.")
        case .diskWriteErrors: counter("disk_write_errors", "writes", "Files that the disk did not take.")
        case .diskIndexErrors: counter("disk_index_errors", "writes", "Writes to the index that failed.")
        case .diskReopened:
            counter(
                "disk_reopened", "times", "Times that the cache on disk was replaced and opened anew.")
        case .diskKeeping:
            gauge(
                "disk_keeping", "–", "1 while the disk keeps new pictures; 0 while it does not, or is gone.")
        default: gauge("disk_bytes", "bytes", "Bytes of files on disk.", ["kind"])
        }
    }

    private func gauge(_ name: String, _ unit: String, _ help: String, _ labels: [String] = []) -> MetricRow {
        MetricRow("pictor_\(name)", .gauge, unit, help, labels: labels)
    }

    private func counter(_ name: String, _ unit: String, _ help: String, _ labels: [String] = []) -> MetricRow
    {
        MetricRow("pictor_\(name)_total", .counter, unit, help, labels: labels)
    }
}
