// SPDX-License-Identifier: Apache-2.0

internal import Origin
internal import Telemetry

extension MetricTable {
    /// Rows of the origins, and of the limit on renditions.
    package static let origins: [Row] = [
        .gauge(
            "fetch_queue_length", "fetches", "Fetches that wait for a permit, or for their host's rate.",
            \.waitingFetches),
        .gauge(
            "origins_resting", "origins", "Origins that are left alone, or asked by one fetch at most.",
            \.restingOrigins),
        .counter(
            "origin_rests", "times", "Times that an origin that was well began to be left alone.",
            \.originRests),
        .counter(
            "origin_refusals", "fetches", "Fetches not sent, because their origin is left alone.",
            \.originRefusals),
        .counter(
            "origin_probes", "fetches", "Fetches sent to find out whether an origin is well again.",
            \.originProbes),
        .gauge(
            "origins_slowed", "origins", "Origins that are asked less often, because they answered 429.",
            \.slowedOrigins),
        .counter(
            "origin_bytes", "bytes",
            "Bytes of bodies received from origins, those of fetches that failed included.",
            \.downloads.bodyBytes),
        .counter(
            "origin_fetches_ended", "fetches",
            "Fetches ended because they were slow while others waited for a permit.", \.downloads.gaveWay),
        .counter(
            "origin_resumptions", "bodies",
            "Bodies that broke off and were asked for again: their rest came, the whole came, or neither.",
            by: "result",
            [
                "resumed": \.downloads.resumed, "restarted": \.downloads.restarted,
                "failed": \.downloads.unresumed,
            ]),
        .counter(
            "origin_stalls", "times",
            "Times that the thread of all fetches was found to stand still; every fetch was given up.",
            \.downloads.stalls),
        .counter(
            "origin_connections_out_of_step", "connections",
            "Kept connections on which bytes were found that nobody had asked for.", \.downloads.outOfStep),
        .counter(
            "origin_answers_forgotten", "originals",
            "Originals dropped because their connection was found out of step, or ended before it was proven.",
            \.downloads.forgotten),
        .counter(
            "renditions_refused", "requests",
            "Requests refused because too many renditions of their original were made.",
            \.refusedRenditions),
    ]
}
