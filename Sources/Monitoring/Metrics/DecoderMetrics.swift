// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Telemetry

extension MetricTable {
    /// Rows of the decoder processes.
    package static let decoders: [Row] = [
        .gauge("decoders", "processes", "Decoder processes that are alive.", \.decoders.processes),
        .gauge("decoders_busy", "processes", "Decoder processes that have a job.", \.decoders.busy),
        .gauge("decoder_queue_length", "jobs", "Jobs that wait for a decoder process.", \.waitingDecodes),
        .counter(
            "substitutes", "answers",
            "Answers in the next best format, for which AVIF is made behind them (encoder.avif-later).",
            \.substitutes),
        .counter("later_renditions", "renditions", "AVIFs that were made behind answers.", \.laterRenditions),
        .gauge(
            "later_renditions_in_flight", "renditions",
            "AVIFs that are made behind answers, or wait until decoders are idle.", \.laterInFlight),
        .counter(
            "decoder_restarts", "processes", "Decoder processes started in place of another one.",
            \.decoders.restarts),
        .counter(
            "decoder_crashes", "processes", "Decoder processes that died of a job.", \.decoders.crashes),
        .counter(
            "decoder_timeouts", "processes", "Decoder processes killed at a job's deadline.",
            \.decoders.timeouts),
        .counter(
            "decoder_kills", "processes",
            "Decoder processes killed from outside with a job: by the kernel, out of memory, or by hand.",
            \.decoders.kills),
        .counter(
            "decoder_waits", "jobs",
            "Jobs that found no decoder process ready, although fewer than the limit were at work.",
            \.decoders.waits),
        .counter(
            "decoder_price_bytes", "bytes",
            "Memory that jobs were admitted for; only jobs whose memory was measured count.",
            \.decoders.priced),
        .counter(
            "decoder_peak_bytes", "bytes", "Memory that the same jobs took, each at its highest point.",
            \.decoders.peaks),
        .counter(
            "decoder_price_exceeded", "jobs", "Jobs that took more memory than their price.",
            \.decoders.pricesExceeded),
    ]

    /// Rows of the inspector processes.
    package static let inspectors: [Row] = [
        .gauge("inspectors", "processes", "Inspector processes that are alive.", \.inspectors.processes),
        .counter(
            "inspections", "questions", "Headers and details that inspector processes have read.",
            \.inspectors.answered),
        .counter(
            "inspector_restarts", "processes", "Inspector processes started in place of another one.",
            \.inspectors.restarts),
        .counter(
            "inspector_crashes", "processes", "Inspector processes that died of a picture.",
            \.inspectors.crashes),
        .counter(
            "inspector_timeouts", "processes", "Inspector processes killed at a question's deadline.",
            \.inspectors.timeouts),
        .counter(
            "inspector_kills", "processes",
            "Inspector processes with a question that were killed from outside.", \.inspectors.kills),
        .counter(
            "inspector_forbidden_calls", "processes",
            "Inspector processes killed for a system call that their jail forbids.", \.inspectors.forbidden),
    ]

    /// Rows of the decoders' sandbox.
    package static let jail: [Row] = [
        .counter(
            "decoder_forbidden_calls", "processes",
            "Decoder processes killed for a system call that their jail forbids.", \.decoders.forbidden),
        .gauge(
            "decoder_jail_measures", "measures",
            "Measures around the decoder process that started last; the log names them.", by: "state",
            ["standing": \.decoders.measures, "missing": \.decoders.missingMeasures]),
    ]
}
